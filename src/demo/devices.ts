import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { deviceState } from './device-states.ts'
import { lettable, type Place } from './properties.ts'
import { type Random, random } from './random.ts'
import { type Draft, demoId, type Stamped, stamped } from './rows.ts'

type Fields = RecordOf<'devices'>
export type DemoDevice = Fields & Stamped
export type DeviceType = NonNullable<Fields['type']>
type Provider = NonNullable<Fields['provider']>
type Ecosystem = NonNullable<Fields['ecosystem']>

export const deviceCount = 180
const day = 24 * 60

const accounts: readonly { provider: Provider; name: string | null; synced: boolean }[] = [
  { provider: 'simulated', name: 'Simulator', synced: true },
  { provider: 'seam', name: 'Seam, all of Portugal', synced: true },
  { provider: 'zigbee2mqtt', name: 'Zigbee bridge, Calle Aire', synced: true },
  { provider: 'home_assistant', name: 'Home Assistant, Funchal', synced: true },
  { provider: 'seam', name: null, synced: false },
]

export function integrationAccounts(calendar: Calendar): (RecordOf<'integration-accounts'> & Stamped)[] {
  return stamped<RecordOf<'integration-accounts'>>(
    'integration-accounts',
    calendar,
    accounts.map(({ synced, ...account }, n) => ({
      ...account,
      lastSyncedAt: synced ? calendar.ago(3 + n * 4) : null,
      made: (-820 + n * 190) * day,
    })),
  )
}

/** A device that someone put somewhere. */
type Installed = { type: DeviceType | null; name: string | null; places: readonly Place[]; provider: Provider | null }

/** 180 of them, in the order in which they were put up: the locks first. */
export function devices(calendar: Calendar): DemoDevice[] {
  const fixed = [...lettable.map(frontDoor), ...shared(), ...lettable.flatMap(inside)]
  const spares = Array.from({ length: deviceCount - fixed.length }, (_, n) => spare(n))
  return stamped<Fields>(
    'devices',
    calendar,
    [...fixed, ...spares].map((installed, n) => device(installed, n, calendar)),
  )
}

/** The lock on a house's own door; devices come in the order of `lettable`. */
export function lockOf(n: number, all: readonly DemoDevice[]): DemoDevice | undefined {
  return all[lettable.findIndex((place) => place.n === n)]
}

/** Most houses have the simulator, so that a lock can be tried out; the others show how the real ones look. */
function providerOf({ n, house }: Place): Provider {
  if (n % 5 < 3) return 'simulated'
  if (house.group === 'sevilla' || house.group === 'barcelona') return 'zigbee2mqtt'
  return house.group === 'madeira' ? 'home_assistant' : 'seam'
}

const frontDoor = (place: Place): Installed => ({
  type: 'lock',
  name: `${place.house.name}: front door`,
  places: [place],
  provider: providerOf(place),
})

/** Two flats under one roof share the door to the street, and what hangs behind it. */
function shared(): Installed[] {
  const ofStreet = (street: string) => lettable.filter(({ house }) => house.street?.startsWith(street))
  const [alfama, ribeira] = [ofStreet('Beco do Espírito Santo'), ofStreet('Rua da Lada')]
  return [
    { type: 'lock', name: 'Beco do Espírito Santo 7: street door', places: alfama, provider: 'simulated' },
    { type: 'lock', name: 'Rua da Lada: courtyard gate', places: ribeira, provider: 'seam' },
    { type: 'camera', name: 'Rua da Lada: courtyard', places: ribeira, provider: 'home_assistant' },
    { type: 'hub', name: 'Beco do Espírito Santo 7: hub', places: alfama, provider: 'simulated' },
  ]
}

function inside(place: Place): Installed[] {
  const { n, house } = place
  const put = (type: DeviceType, where: string, provider: Provider = providerOf(place)): Installed => ({
    type,
    name: `${house.name}: ${where}`,
    places: [place],
    provider,
  })
  return [
    ...(n % 4 === 0 ? [put('hub', 'hub in the hall')] : []),
    ...(n % 2 === 0 ? [put('thermostat', 'thermostat')] : []),
    ...(n % 3 === 1 ? [put('sensor', 'noise sensor')] : []),
    ...(n % 6 === 2 ? [put('door_window_sensor', 'terrace door')] : []),
    ...(n % 8 === 5 ? [put('sound_system', 'sound system', 'home_assistant')] : []),
    ...(n % 6 === 4 ? [put('light', 'porch light')] : []),
    ...(house.pool ? [put('camera', 'camera at the gate', 'manual')] : []),
    ...(n % 8 === 1 ? [put('repeater', 'repeater on the stairs', n % 16 === 1 ? 'manual' : providerOf(place))] : []),
  ]
}

/** In the store room, in a box. */
function spare(n: number): Installed {
  if (n === 0) return { type: null, name: null, places: [], provider: null }
  const type = (['lock', 'sensor', 'lock', 'thermostat', 'repeater'] as const)[n % 5]!
  return { type, name: `Spare ${type} ${n}`, places: [], provider: n % 2 === 0 ? 'manual' : 'simulated' }
}

const ecosystems: Record<Provider, readonly Ecosystem[]> = {
  simulated: ['yale', 'nuki', 'schlage', 'zwave', 'matter', 'ttlock'],
  seam: ['seam', 'august', 'yale', 'nuki', 'minut', 'ecobee'],
  zigbee2mqtt: ['zigbee'],
  home_assistant: ['zwave', 'matter', 'smartthings'],
  manual: ['smartthings', 'ttlock'],
}

function ecosystemOf({ type, provider }: Installed, draw: Random): Ecosystem | null {
  if (provider === null) return null
  if (provider === 'zigbee2mqtt' || provider === 'home_assistant') return draw.pick(ecosystems[provider])
  if (type === 'thermostat') return 'ecobee'
  if (type === 'sensor') return 'minut'
  return draw.chance(0.05) ? null : draw.pick(ecosystems[provider])
}

const onBattery = new Set<DeviceType | null>(['lock', 'sensor', 'door_window_sensor'])

function device(installed: Installed, n: number, calendar: Calendar): Draft<Fields> {
  const { type, name, places, provider } = installed
  const draw = random('devices', n)
  const managed = provider !== null && provider !== 'manual'
  const online = !managed || places.length === 0 ? null : !(n % 12 === 7)
  // The first locks are those that a visitor tries: well and reachable.
  const battery =
    !managed || !onBattery.has(type) ? null : n < 3 ? 90 + n : n % 9 === 4 ? draw.int(3, 20) : draw.int(210, 1000) / 10
  const seen = online === false ? draw.int(600, 9000) : draw.int(2, 55)
  const made = (-690 + n * 3.6) * day
  return {
    name,
    type,
    ecosystem: ecosystemOf(installed, draw),
    provider,
    online,
    batteryLevel: battery,
    batteryUpdatedAt: battery === null ? null : calendar.ago(seen + 35),
    healthCheck: online === null ? null : calendar.ago(seen),
    deviceState: online === null ? null : deviceState(type, calendar.ago(seen), draw, n < 3),
    isArchived: n % 40 === 33 || (places.length === 0 && n % 4 === 3),
    propertyIds: places.map(({ id }) => id),
    integrationAccountId: managed
      ? demoId(
          'integration-accounts',
          accounts.findIndex((account) => account.provider === provider),
        )
      : null,
    externalId: managed ? `${provider.slice(0, 3)}-${type}-${String(n).padStart(3, '0')}` : null,
    enableRemoteControls: !draw.chance(0.08),
    made,
    changed: online === null ? made : { ago: Math.max(seen, 2) },
  }
}
