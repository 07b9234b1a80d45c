import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type DemoDevice, lockOf } from './devices.ts'
import { lettable, type Place } from './properties.ts'
import { type GroupKey, groupKeys, propertyGroupId } from './property-groups.ts'
import { type Random, random } from './random.ts'
import { type Draft, type Stamped, stamped } from './rows.ts'

type Fields = RecordOf<'instructions'>
type Step = Omit<Fields, 'id' | 'sortOrder' | 'createdAt' | 'updatedAt'>

const day = 24 * 60

/** How guests find their way: steps for most houses, and for the towns of four property groups. */
export function instructions(calendar: Calendar, devices: readonly DemoDevice[]): (Fields & Stamped)[] {
  const scopes = [
    ...lettable.filter(({ n }) => n % 3 !== 2).map((place) => houseSteps(place, devices)),
    ...groupKeys
      .filter((key) => townSteps[key])
      .map((key) =>
        townSteps[key]!.map(([title, description]) => ({
          type: 'info',
          title,
          description,
          propertyGroupId: propertyGroupId(key),
        })),
      ),
  ]
  return stamped<Fields>('instructions', calendar, scopes.flatMap(numbered))
}

/** The steps of a scope, made one after the other and numbered without a gap. */
const numbered = (steps: readonly Step[], scope: number): Draft<Fields>[] =>
  steps.map((step, sortOrder) => ({
    ...step,
    sortOrder,
    made: (-600 + scope * 9) * day + 540 + sortOrder * 4,
    changed: (-50 + scope) * day,
  }))

function houseSteps(place: Place, devices: readonly DemoDevice[]): Step[] {
  const draw = random('instructions', place.n)
  const { house, id } = place
  const steps = [wayThere(house.unit), door(place, devices, draw), wifi]
  if (house.pool)
    steps.push({ type: 'amenity', title: 'Pool', description: 'Open from 9 to 21 h. Children never alone, glass never at all.' })
  if (draw.chance(0.6)) steps.push(draw.pick(extras))
  steps.push({
    type: 'check_out',
    title: 'Adeus, {{property.name}}',
    description:
      'Please leave before {{property.defaultCheckOutHour}}:00, keys on the table, windows shut. Help: {{portal.supportEmail}}',
  })
  return steps.map((step) => ({ ...step, propertyId: id }))
}

const wayThere = (unit: string | null): Step => ({
  type: 'access',
  title: 'Welcome to {{property.name}}',
  description: `You find us at {{property.streetAddress}}, {{ property.city }}.${unit ? ' Your door: {{property.unitNumber}}.' : ''}`,
  imageUrl: 'https://casa-aurora.example/guides/street.jpg',
  isAccessDisplayed: true,
})

const wifi: Step = {
  type: 'wifi',
  title: 'Wi-Fi',
  description: 'Network {{property.wifiName}}, the password hangs in the hall.',
  codeType: 'none',
}

const extras: readonly Step[] = [
  {
    type: 'amenity',
    title: 'Heating',
    description: 'The thermostat goes by itself to 20 °C; turn the ring for more.',
    videoUrl: 'https://casa-aurora.example/guides/heating.mp4',
  },
  { type: 'rules', title: 'Quiet from ten', description: 'The neighbours get up at six. Obrigado!' },
  { type: 'info', title: 'Rubbish', description: 'Green, yellow and blue on the corner; the rest downstairs, in the evening.' },
  { type: 'info', title: null, description: 'The cat belongs to next door. Please do not feed her.{{guest.pet}}' },
]

/** Codes of the lock where there is one that takes them, a key box where there is none. */
function door({ n }: Place, devices: readonly DemoDevice[], draw: Random): Step {
  const lock = lockOf(n, devices)
  const common = { type: 'access', isAccessDisplayed: true }
  if (lock && n % 4 !== 0)
    return {
      ...common,
      title: 'Opening the door',
      description: 'Enter your code on {{device.name}}, then press the handle.',
      deviceId: lock.id,
      codeType: 'smart_lock',
    }
  return {
    ...common,
    title: 'Key box',
    description: 'Left of the door. The code is below; turn the wheels back afterwards.',
    deviceId: lock?.id ?? null,
    codeType: 'fixed',
    fixedCode: String(draw.int(1000, 9999)),
  }
}

type Text = readonly [title: string, description: string]
const townSteps: Partial<Record<GroupKey, readonly Text[]>> = {
  lisboa: [
    ['Arriving in {{propertyGroup.name}}', 'Metro from the airport, red line; a taxi costs about 20 €.'],
    ['Parking', 'Street parking is for residents. Use the car park at Portas do Sol.'],
    ['A first evening', 'Tram 28 is full; walk up to the Graça viewpoint instead.'],
    ['If something is wrong', 'Write to {{portal.supportEmail}} or call {{organization.phone}}.'],
  ],
  algarve: [
    ['Arriving in the {{propertyGroup.name}}', 'Hire a car at Faro airport; the train is slow and lovely.'],
    ['Water', 'It is dry here: please shower short.'],
    ['Beaches', 'Red flag means out of the water, also for good swimmers.'],
  ],
  madeira: [
    ['Arriving in {{propertyGroup.name}}', 'Tunnels everywhere: satnav loses you, signs do not.'],
    ['Levadas', 'Take a torch and a jacket. Mountain rescue: 112.'],
    ['Bananas', 'Those in the garden are yours.'],
  ],
  sevilla: [
    ['Bienvenidos a {{propertyGroup.name}}', 'Taxi desde el aeropuerto: tarifa fija.'],
    ['Calor', 'En julio y agosto, persianas abajo de 12 a 20 h.'],
    ['Semana Santa', 'Calles cortadas: pregunte antes de venir en coche.'],
  ],
}
