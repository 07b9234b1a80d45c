import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type House, houses, towns } from './houses.ts'
import { portalOf, propertyGroupId, zoneOf } from './property-groups.ts'
import { random } from './random.ts'
import { type Draft, demoId, type Stamped, stamped } from './rows.ts'

export type Property = RecordOf<'properties'> & Stamped

/** A property as the other areas need it: property n is house n. */
export type Place = {
  n: number
  id: string
  house: House
  zone: string
  checkInHour: number
  checkOutHour: number
  groupId: string | null
}

const day = 24 * 60

/** House 3 is closed for works, the last is a draft: neither takes guests. */
const closed = 3
const draft = houses.length - 1

/** All properties. */
export const places: readonly Place[] = houses.map((house, n) => ({
  n,
  id: demoId('properties', n),
  house,
  zone: house.group ? zoneOf(house.group) : 'Europe/Lisbon',
  checkInHour: checkInHourOf(n) ?? 15,
  checkOutHour: n % 6 === 0 ? 10 : 11,
  groupId: house.group && propertyGroupId(house.group),
}))

/** Those that take guests. */
export const lettable: readonly Place[] = places.filter(({ n }) => n !== closed && n !== draft)

function checkInHourOf(n: number): number | null {
  if (n % 13 === 5) return null
  return n % 4 === 1 ? 16 : 15
}

export function properties(calendar: Calendar): Property[] {
  return stamped<RecordOf<'properties'>>(
    'properties',
    calendar,
    places.map((place) => (place.n === draft ? draftProperty(place) : property(place))),
  )
}

const madeOn = (n: number): number => Math.round(-1140 + (n / houses.length) * 1100) * day + 660

/** What is known of a house on the day its owner first called. */
const draftProperty = ({ n, house }: Place): Draft<RecordOf<'properties'>> => ({ nickname: house.nickname, made: madeOn(n) })

function property(place: Place): Draft<RecordOf<'properties'>> {
  const { n, house, groupId, zone } = place
  const draw = random('properties', n)
  return {
    name: house.name,
    nickname: house.nickname,
    propertyGroupId: groupId,
    portalSettingsId: n === 7 ? demoId('portals', 3) : portalOf(house.group),
    ...addressOf(place),
    timezone: zone,
    ...accessOf(place),
    reviewRequestUrl: draw.chance(0.7) ? `https://casa-aurora.example/review/${house.nickname!.toLowerCase()}` : null,
    reviewRequestOverrides:
      n % 9 === 2 ? { airbnb: 'https://reviews.example/a', 'booking.com': 'https://reviews.example/b' } : {},
    averageRating: draw.chance(0.92) ? (draw.int(42, 50) * 2) / 20 : null,
    ...sizeOf(place),
    defaultCheckInHour: checkInHourOf(n),
    defaultCheckOutHour: checkInHourOf(n) === null ? null : place.checkOutHour,
    hideTimerHours: n % 5 === 0 ? 24 : n % 5 === 1 ? 1.5 : null,
    hasCheckInInstructionTimer: n % 5 < 2,
    isAddressHidden: draw.chance(0.2),
    isBackupSwapDisabled: draw.chance(0.1),
    isBookable: n !== closed,
    isCodeOverrideFixed: draw.chance(0.15),
    isDisabled: n === closed,
    isInspectionRequired: (house.bedrooms ?? 0) > 2,
    made: madeOn(n),
    changed: -draw.int(2, 30) * day,
  }
}

function addressOf({ n, house: { street, unit, postalCode, city, group } }: Place) {
  const draw = random('addresses', n)
  const [latitude, longitude, state] = towns[city!]!
  const near = (degrees: number) => (degrees + draw.int(-80, 80) / 10_000).toFixed(6)
  const spanish = group === 'sevilla' || group === 'barcelona'
  return {
    streetAddress: street,
    unitNumber: unit,
    city,
    state,
    postalCode,
    countryCode: spanish ? 'ES' : 'PT',
    formattedAddress: `${street}${unit ? `, ${unit}` : ''}, ${postalCode} ${city}, ${spanish ? 'España' : 'Portugal'}`,
    latitude: near(latitude),
    longitude: near(longitude),
  }
}

const notes = [
  'Meter cupboard left of the door. The shutter of the kitchen window sticks.',
  'Spare keys with the café on the corner (ask for Zulmira).',
  'Alarm code is with the supervisor. Never switch off the pump at night.',
  'Neighbour on the 1st floor sleeps badly: no vacuuming before nine.',
  'Water main behind the blue tile panel.',
]

function accessOf({ n, house }: Place) {
  const draw = random('access', n)
  return {
    coverImageUrl: draw.chance(0.9) ? `https://casa-aurora.example/covers/${house.nickname!.toLowerCase()}.jpg` : null,
    wifiName: draw.chance(0.9) ? `CasaAurora-${house.nickname}` : null,
    internalAccessNotes: draw.chance(0.75) ? draw.pick(notes) : null,
    codeDisplay: draw.chance(0.8) ? String(draw.int(1000, 9999)) : null,
    groupCodeDisplay: house.unit && draw.chance(0.8) ? `#${draw.int(100, 999)}A` : null,
  }
}

function sizeOf({ n, house }: Place) {
  const draw = random('sizes', n)
  const bedrooms = house.bedrooms ?? 1
  const beds = Math.max(1, bedrooms + draw.int(0, Math.min(3, bedrooms)))
  return {
    bathroomCount: Math.max(1, Math.ceil(bedrooms * 0.6)) + (draw.chance(0.3) ? 0.5 : 0),
    bedCount: beds,
    bedroomCount: house.bedrooms,
    maxGuests: beds * 2,
  }
}
