import { dateOf, localDays, mondayOf } from './local-days.ts'

/** How many days or weeks one statement answers, so that neither PostgreSQL nor the server ever holds more of a long answer. */
const periodsAPart = 62

export type GroupBy = 'day' | 'week'

/** Instants [from, to), in milliseconds, all of the period whose date is `dates[number]`. `isWhole`: they are all of it. */
export type Stretch = { from: number; to: number; number: number; isWhole: boolean }

/** Stretches in order; `dates` ascend. A period has several where clocks were set back over its midnight. */
export type Periods = { stretches: Stretch[]; dates: string[] }

const longestPeriod = 9 * 24 * 60 * 60_000

/** The local days or weeks of `zone` in [start, end). */
export function periodsOf(zone: string, start: number, end: number, groupBy: GroupBy): Periods {
  const days = localDays(zone, start - longestPeriod, end + longestPeriod)
  const labelled = days
    .map(({ from, day }, i) => ({
      from,
      to: days[i + 1]?.from ?? end + longestPeriod,
      label: groupBy === 'day' ? day : mondayOf(day),
    }))
    .reduce<{ from: number; to: number; label: number }[]>((merged, one) => {
      const last = merged.at(-1)
      if (last?.label === one.label) last.to = one.to
      else merged.push(one)
      return merged
    }, [])
  const pieces = Map.groupBy(labelled, ({ label }) => label)
  const inside = labelled.filter(({ from, to }) => from < end && to > start)
  const labels = [...new Set(inside.map(({ label }) => label))].sort((a, b) => a - b)
  const numberOf = new Map(labels.map((label, i) => [label, i]))
  return {
    stretches: inside.map(({ from, to, label }) => ({
      from: Math.max(from, start),
      to: Math.min(to, end),
      number: numberOf.get(label)!,
      isWhole: from >= start && to <= end && pieces.get(label)!.length === 1,
    })),
    dates: labels.map(dateOf),
  }
}

/** The same in parts of about 62 periods, one after the other. A day that comes again is never divided between two. */
export function inParts({ stretches, dates }: Periods): Periods[] {
  const parts: Periods[] = []
  let first = 0
  let begin = 0
  let last = -1
  for (let i = 1; i <= stretches.length; i++) {
    last = Math.max(last, stretches[i - 1]!.number)
    const done = i === stretches.length
    const divides = last + 1 - begin >= periodsAPart && stretches.slice(i, i + 3).every(({ number }) => number > last)
    if (!done && !divides) continue
    parts.push({
      stretches: stretches.slice(first, i).map((stretch) => ({ ...stretch, number: stretch.number - begin })),
      dates: dates.slice(begin, last + 1),
    })
    first = i
    begin = last + 1
  }
  return parts
}
