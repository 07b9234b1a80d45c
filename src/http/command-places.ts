import { ApiError } from './errors.ts'

/** The places of one request: it holds one at most, until it leaves. */
export type Place = {
  /** Takes a place among those who wait for this account, once however often it is asked for. Throws ApiError `overloaded` where none is left for it. */
  occupy(account: string): void
  leave(): void
}

/**
 * Room for `total` commands that wait for an account of somebody else's service. An account may hold as many places as it
 * leaves free: one that hangs takes half of them at most, two a third each, and there is always a place for another.
 */
export function commandPlaces(total: number): { enter(): Place } {
  const held = new Map<string, number>()
  let taken = 0
  const change = (account: string, by: 1 | -1): void => {
    const now = (held.get(account) ?? 0) + by
    if (now === 0) held.delete(account)
    else held.set(account, now)
    taken += by
  }
  return {
    enter() {
      let place: string | undefined
      return {
        occupy(account) {
          if (place !== undefined) return
          if ((held.get(account) ?? 0) >= total - taken) throw new ApiError('overloaded')
          place = account
          change(account, 1)
        },
        leave() {
          if (place !== undefined) change(place, -1)
          place = undefined
        },
      }
    },
  }
}
