import type { DepartmentKey } from './departments.ts'

export type TemplateText = {
  name: string
  department: DepartmentKey
  priority: 'watch' | 'low' | 'medium' | 'high' | 'urgent' | null
  description: string | null
  minutes: number | null
  /** Checklists by title: items separated by `; `. A title that ends in `*` asks for a photo. */
  groups: Record<string, string>
  /** Deleted so many days ago. */
  deleted?: number
}

const turnover = {
  'Bedrooms*': 'Strip the beds, count the linen; Make the beds, seams to the wall; Dust sills and lamps; Look under the beds',
  'Bathrooms*': 'Descale taps and glass; Fresh towels, two per guest; Refill soap and paper',
  Kitchen: 'Empty the fridge; Run and empty the dishwasher; Wipe inside oven and microwave; Take out rubbish and recycling',
  'On leaving': 'Close windows and shutters; Heating to 16 °C; Lock, then pull the handle',
}

/** The templates in the order in which they were made. Names recur: in one department the newest counts, others have their own. */
export const templateTexts: readonly TemplateText[] = [
  {
    name: 'Checkout clean',
    department: 'housekeeping',
    priority: 'high',
    description: 'The first version, on paper.',
    minutes: 150,
    groups: { House: 'Clean everything' },
  },
  {
    name: '  mid-stay CLEAN ',
    department: 'housekeeping',
    priority: 'medium',
    description: 'As made by the planning tool, white space and all.',
    minutes: 60,
    groups: { Freshen: 'Change towels; Make the beds; Empty the bins' },
  },
  {
    name: 'Mid-stay clean',
    department: 'housekeeping',
    priority: 'medium',
    description: 'While the guests are out; knock, ring, wait.',
    minutes: 75,
    groups: { Freshen: 'Change towels; Make the beds; Empty the bins; Wipe kitchen and bath' },
  },
  {
    name: 'Deep clean',
    department: 'housekeeping',
    priority: 'low',
    description: 'Twice a year, between seasons.',
    minutes: 420,
    groups: {
      ...turnover,
      'Twice a year': 'Wash the curtains; Pull out the white goods; Turn the mattresses; Clean the windows outside',
    },
  },
  {
    name: 'Checkout clean',
    department: 'housekeeping',
    priority: 'high',
    description: 'From departure to the next arrival.',
    minutes: 135,
    groups: turnover,
  },
  {
    name: 'Checkout clean',
    department: 'laundry',
    priority: 'medium',
    description: 'Linen for a turnover: collect, wash, deliver.',
    minutes: 40,
    groups: { Linen: 'Collect the bags; Count and note losses; Deliver the fresh set' },
  },
  {
    name: 'Linen delivery',
    department: 'laundry',
    priority: 'medium',
    description: 'The weekly round of a town.',
    minutes: 180,
    groups: { Round: 'Load by house; Note the kilometres; Bring back the empty bags' },
  },
  {
    name: 'Arrival inspection',
    department: 'inspections',
    priority: 'high',
    description: 'The house as the guest will see it.',
    minutes: 30,
    groups: {
      'First look*': 'Entrance and smell; Beds; Bathrooms; Terrace',
      Technique: 'All lights; Hot water; Wi-Fi; Lock opens with the guest’s code',
      Welcome: 'Basket on the table; Fridge cold, with water and milk',
    },
  },
  {
    name: 'Safety check',
    department: 'inspections',
    priority: 'high',
    description: 'Every quarter; the insurer asks for it.',
    minutes: 45,
    groups: {
      'Fire*': 'Test smoke alarms; Extinguisher in date; Escape way clear',
      Water: 'Boiler pressure; Shut-off valve turns',
    },
  },
  {
    name: 'Inventory',
    department: 'inspections',
    priority: 'low',
    description: null,
    minutes: 120,
    groups: { Count: 'Glasses and cutlery; Linen; Furniture against the list' },
  },
  {
    name: 'Welcome in person',
    department: 'guests',
    priority: 'medium',
    description: 'For first-time guests of the larger houses.',
    minutes: 45,
    groups: { 'At the door': 'Be there ten minutes before; Show lock, heating, rubbish; Ask what they would like to see' },
  },
  {
    name: 'Lost property',
    department: 'guests',
    priority: 'low',
    description: 'Something was left behind.',
    minutes: 20,
    groups: { Find: 'Photograph it; Ask the guest for an address; Post it, note the number' },
  },
  {
    name: 'Repair',
    department: 'maintenance',
    priority: 'medium',
    description: 'Anything that broke.',
    minutes: 60,
    groups: {
      'Before and after*': 'Photograph the damage; Repair; Photograph the result',
      Paperwork: 'Material and receipts; Tell the manager if it costs over 150 €',
    },
  },
  {
    name: 'Boiler service',
    department: 'maintenance',
    priority: 'medium',
    description: 'Once a year, before October.',
    minutes: 90,
    groups: { Boiler: 'Pressure; Burner; Flue; Sticker with the date' },
  },
  {
    name: 'Air conditioning filters',
    department: 'maintenance',
    priority: 'low',
    description: 'Before summer.',
    minutes: 40,
    groups: { Filters: 'Wash and dry; Disinfect; Check the drain' },
  },
  {
    name: 'Lock batteries',
    department: 'maintenance',
    priority: 'high',
    description: 'The lock reports 20 % or less.',
    minutes: 15,
    groups: { Lock: 'Four new AA cells; Lock and unlock three times; See that it reports 100 %' },
  },
  {
    name: 'Pool service',
    department: 'pools',
    priority: 'medium',
    description: 'Weekly from April to October, fortnightly in winter.',
    minutes: 50,
    groups: { 'Water*': 'pH 7.2 to 7.6; Chlorine; Skimmer baskets; Backwash', Around: 'Sweep; Umbrellas closed' },
  },
  {
    name: 'Garden round',
    department: 'pools',
    priority: 'low',
    description: null,
    minutes: 90,
    groups: { Garden: 'Water the pots; Lawn; Fallen lemons' },
  },
  {
    name: 'Repair',
    department: 'pools',
    priority: 'medium',
    description: 'Pumps, robots, irrigation.',
    minutes: 75,
    groups: { Pump: 'Note the model; Switch off at the panel; Repair; Run for ten minutes' },
  },
  {
    name: 'Airport transfer',
    department: 'concierge',
    priority: 'medium',
    description: 'Book the driver, tell the guest.',
    minutes: 10,
    groups: { Transfer: 'Flight number; Child seats; Driver confirmed; Guest told' },
  },
  {
    name: 'Restock consumables',
    department: 'logistics',
    priority: 'low',
    description: 'Coffee, soap, paper, bulbs.',
    minutes: 60,
    groups: { Cupboard: 'Count against the list; Refill; Note what is short' },
  },
  { name: 'Key round', department: 'logistics', priority: 'medium', description: null, minutes: null, groups: {} },
  {
    name: 'Owner visit',
    department: 'owners',
    priority: 'high',
    description: 'The owner comes: everything a little better.',
    minutes: 60,
    groups: { House: 'Flowers; Statement of the last quarter on the table; Call the day after' },
  },
  {
    name: 'Bed bug treatment',
    department: 'pests',
    priority: 'urgent',
    description: 'Handed over to a firm.',
    minutes: 240,
    groups: { Treatment: 'Seal the room; Tell the manager' },
    deleted: 190,
  },
  {
    name: 'Arrival inspection',
    department: 'inspections',
    priority: 'medium',
    description: 'A shorter one, tried in spring and withdrawn.',
    minutes: 15,
    groups: { Look: 'Everything in order?' },
    deleted: 33,
  },
]
