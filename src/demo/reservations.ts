import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type Guest, guestName } from './guests.ts'

import { type Random, random } from './random.ts'
import { type Draft, type Stamped, stamped } from './rows.ts'
import { type Stay, stays } from './stays.ts'

export type Reservation = RecordOf<'reservations'> & Stamped
/** A reservation and the stay that it is of. */
export type Booked = { stay: Stay; reservation: Reservation }

type Fields = RecordOf<'reservations'>

const day = 24 * 60

/** Booking channels, with the codes that each gives out. */
const channels: readonly { id: string; share: number; fee: number; code: (draw: Random) => string }[] = [
  { id: 'airbnb', share: 9, fee: 0.03, code: (draw) => `HM${letters(draw, 8)}` },
  { id: 'booking.com', share: 6, fee: 0.15, code: (draw) => String(draw.int(2_000_000_000, 4_999_999_999)) },
  { id: 'vrbo', share: 2, fee: 0.08, code: (draw) => `HA-${letters(draw, 6)}` },
  { id: 'direct', share: 3, fee: 0, code: (draw) => `CA-${draw.int(10_000, 99_999)}` },
]
const channelPool = channels.flatMap((channel) => Array(channel.share).fill(channel) as (typeof channel)[])

// Without the letters and digits that people mix up.
const alphabet = [...'ABCDEFGHJKMNPQRSTWXYZ23456789']
const letters = (draw: Random, count: number): string => Array.from({ length: count }, () => draw.pick(alphabet)).join('')

/** 1,500 reservations of all kinds, in the order in which they were booked. */
export function reservations(calendar: Calendar, guests: readonly Guest[]): Booked[] {
  const booked = stays().toSorted((a, b) => a.made - b.made)
  const returning = returns(booked)
  const rows = stamped<Fields>(
    'reservations',
    calendar,
    booked.map((stay) => reservation(stay, calendar, guests, returning.has(stay))),
  )
  return rows.map((row, n) => ({ stay: booked[n]!, reservation: row }))
}

/** Stays of guests who had been before. */
function returns(booked: readonly Stay[]): Set<Stay> {
  const known = new Set<number>()
  const again = new Set<Stay>()
  for (const stay of booked.toSorted((a, b) => a.arrival - b.arrival)) {
    if (stay.guest === null || stay.kind === 'cancelled') continue
    if (known.has(stay.guest)) again.add(stay)
    known.add(stay.guest)
  }
  return again
}

function reservation(stay: Stay, calendar: Calendar, guests: readonly Guest[], isReturning: boolean): Draft<Fields> {
  const draw = random('reservations', stay.n)
  const channel = stay.kind === 'owner' ? channels[3]! : draw.pick(channelPool)
  const nights = stay.departure - stay.arrival
  return {
    propertyId: stay.place?.id ?? null,
    propertyGroupId: stay.place?.groupId ?? null,
    bookingSourceId: stay.kind === 'owner' ? null : channel.id,
    pmsProvider: channel.id === 'direct' ? null : draw.pick(['hostaway', 'hostaway', 'smoobu']),
    externalReservationId: channel.id === 'direct' ? null : `${draw.int(10_000_000, 99_999_999)}`,
    confirmationCode: stay.kind === 'owner' ? null : channel.code(draw),
    ...progress(stay, calendar, draw),
    ...times(stay, calendar, draw),
    ...party(stay, guests, draw),
    ...(stay.kind === 'owner' ? { currency: null } : price(stay, nights, channel.fee, draw)),
    nightCount: stay.kind === 'inquiry' && draw.chance(0.3) ? null : nights,
    sourceText: sources[stay.kind] ?? (draw.chance(0.1) ? draw.pick(remarks) : null),
    isAutoScheduleDisabled: stay.kind === 'owner' || draw.chance(0.03),
    isReturning,
    portalLoadCount: stay.arrival < 3 && stay.kind === 'stay' ? draw.int(0, 14) : 0,
    made: stay.made,
    changed: changedAt(stay),
  }
}

const sources: Partial<Record<Stay['kind'], string>> = {
  owner: 'Imported from iCal: "Not available (owner)"',
  unassigned: 'No house yet: the group chooses on arrival.',
}
const remarks = [
  'Arriving late, flight TP 1357. Is there somewhere to leave the car?',
  'We come with a small dog, as agreed by telephone.',
  'Es nuestro aniversario, ¿hay alguna terraza cerca?',
  'Ankunft mit dem Fahrrad – gibt es einen Keller?',
  '静かな部屋を希望します。',
]

/** Last touched when the guest left, arrived, or booked, whichever is the latest that has been. */
const changedAt = ({ made, arrival, departure }: Stay): number =>
  Math.max(made, ...[arrival, departure].filter((each) => each < 0).map((each) => each * day + 700))

const methods = [
  'smart_lock',
  'smart_lock',
  'smart_lock',
  'guest_portal',
  'guest_portal',
  'dashboard',
  'remote_control',
  'workflow_action',
] as const

/** What has become of the booking by today. */
function progress(stay: Stay, calendar: Calendar, draw: Random): Partial<Fields> {
  const { kind, arrival, departure, n } = stay
  if (kind === 'cancelled')
    return { status: 'cancelled', codeStatus: null, checkInState: 'not_checked_in', paymentStatus: 'refunded' }
  if (kind === 'inquiry') return { status: 'inquiry', checkInState: null, paymentStatus: 'unpaid' }
  const noShow = arrival < 0 && draw.chance(0.012)
  const left = departure < 0 || (departure === 0 && n % 2 === 0)
  const arrived = arrival < 0 || (arrival === 0 && n % 5 === 0)
  const checkInState = noShow || !arrived ? 'not_checked_in' : left ? 'checked_out' : 'checked_in'
  const verified =
    kind === 'owner'
      ? 'not_required'
      : arrival < 7
        ? draw.chance(0.94)
          ? 'verified'
          : 'failed'
        : draw.pick(['pending', 'verified'])
  return {
    status: noShow ? 'no_show' : kind === 'owner' ? 'owner_stay' : arrival > 45 && draw.chance(0.15) ? 'pending' : 'confirmed',
    codeStatus: left ? 'expired' : arrived || arrival < 2 ? 'active' : draw.chance(0.03) ? 'failed' : 'scheduled',
    checkInState,
    occupancyMethod: checkInState === 'not_checked_in' ? null : draw.pick(methods),
    paymentStatus: kind === 'owner' ? null : arrival < 14 ? 'paid' : draw.pick(['paid', 'partially_paid', 'unpaid']),
    verificationStatus: verified,
    verificationStatusChangedAt: verified === 'verified' || verified === 'failed' ? calendar.minute(stay.made + 60) : null,
    verificationStatusChangedReason: verified === 'failed' ? 'The photo of the identity document was unreadable.' : null,
    confirmedAt: calendar.minute(stay.made + 5),
  }
}

function times({ kind, arrival, departure, place }: Stay, calendar: Calendar, draw: Random): Partial<Fields> {
  if (kind === 'inquiry' && draw.chance(0.3)) return { checkIn: null, checkOut: null }
  const { zone, checkInHour, checkOutHour } = place ?? { zone: 'Europe/Lisbon', checkInHour: 15, checkOutHour: 11 }
  return {
    checkIn: calendar.at(arrival, checkInHour, zone),
    checkOut: calendar.at(departure, checkOutHour, zone),
    checkInOverride: draw.chance(0.06) ? calendar.at(arrival, checkInHour - 2, zone) : null,
    checkOutOverride: draw.chance(0.06) ? calendar.at(departure, checkOutHour + 1.5, zone) : null,
    etaCheckIn: draw.chance(0.35) ? calendar.at(arrival, checkInHour + draw.int(0, 28) / 4, zone) : null,
    etaCheckOut: draw.chance(0.15) ? calendar.at(departure, checkOutHour - draw.int(0, 12) / 4, zone) : null,
  }
}

function party({ n, kind, guest, place }: Stay, guests: readonly Guest[], draw: Random): Partial<Fields> {
  const size = Math.max(1, place?.house.bedrooms ?? 1) * 2
  if (kind === 'owner') return { guestCount: null }
  const linked = guest === null ? null : guests[guest]!
  const name = linked ?? guestName('reservation guests', n)
  return {
    guestId: linked?.id ?? null,
    guestFirstName: name.firstName ?? null,
    guestLastName: name.lastName ?? null,
    guestEmail: name.email ?? null,
    guestPhone: name.phone ?? null,
    guestCount: draw.int(1, size),
  }
}

function price({ place, arrival, kind }: Stay, nights: number, fee: number, draw: Random): Partial<Fields> {
  const rate = 6_500 + (place?.house.bedrooms ?? 1) * 4_200 + (place?.house.pool ? 5_000 : 0) + draw.int(-900, 900)
  const subtotalCents = Math.round(rate * nights * (1 + 0.2 * Math.sin(arrival / 58)))
  const totalFeeCents = 4_500 + Math.round(subtotalCents * fee)
  const paid = kind === 'stay' || kind === 'overlap'
  return {
    currency: draw.chance(0.04) ? draw.pick(['GBP', 'USD']) : 'EUR',
    subtotalCents,
    totalFeeCents,
    hostPayoutCents: paid ? subtotalCents + 4_500 - Math.round(subtotalCents * fee) : kind === 'cancelled' ? 0 : null,
  }
}
