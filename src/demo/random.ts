/** Draws that follow from a seed alone: the same on every machine and every day. */
export type Random = {
  /** At least 0, below 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number
  /** True in `share` of all cases. */
  chance(share: number): boolean
  pick<T>(from: readonly T[]): T
}

/** A generator of its own for every row, so that a change to one row leaves all others as they are. */
export function random(area: string, row: number): Random {
  const next = mulberry32(hash(`${area}/${row}`))
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (share) => next() < share,
    pick: (from) => from[Math.floor(next() * from.length)]!,
  }
}

/** Tommy Ettinger's mulberry32: 32 bits of state, made equal to a hash of the seed, and well spread for so little. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** FNV-1a of the text's UTF-16 units, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
