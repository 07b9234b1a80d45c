import { dateOf, localDays, mondayOf } from './local-days.ts'

/** How many days or weeks one statement answers, so that neither PostgreSQL nor the server ever holds more of a long answer. */
const periodsAPart = 62

/**
 * Instants cut into periods: those from `froms[i]` until the next (or `end`), in milliseconds, belong to period `numbers[i]`,
 * an index of `dates`, which ascend.
 */
export type Periods = { froms: number[]; numbers: number[]; end: number; dates: string[] }

/** The local days or weeks of `zone` in [start, end). */
export function periodsOf(zone: string, start: number, end: number, groupBy: 'day' | 'week'): Periods {
  const labelled = localDays(zone, start, end).map(({ from, day }) => ({ from, label: groupBy === 'day' ? day : mondayOf(day) }))
  const stretches = labelled.filter(({ label }, i) => i === 0 || labelled[i - 1]!.label !== label)
  const labels = [...new Set(stretches.map(({ label }) => label))].sort((a, b) => a - b)
  const numberOf = new Map(labels.map((label, i) => [label, i]))
  return {
    froms: stretches.map(({ from }) => from),
    numbers: stretches.map(({ label }) => numberOf.get(label)!),
    end,
    dates: labels.map(dateOf),
  }
}

/** The same in parts of about 62 periods, one after the other. A day that comes again is never divided between two. */
export function inParts({ froms, numbers, end, dates }: Periods): Periods[] {
  const parts: Periods[] = []
  let first = 0
  let begin = 0
  let last = -1
  for (let i = 1; i <= froms.length; i++) {
    last = Math.max(last, numbers[i - 1]!)
    const done = i === froms.length
    const divides = last + 1 - begin >= periodsAPart && numbers.slice(i, i + 3).every((number) => number > last)
    if (!done && !divides) continue
    parts.push({
      froms: froms.slice(first, i),
      numbers: numbers.slice(first, i).map((number) => number - begin),
      end: froms[i] ?? end,
      dates: dates.slice(begin, last + 1),
    })
    first = i
    begin = last + 1
  }
  return parts
}
