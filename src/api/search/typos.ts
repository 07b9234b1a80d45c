/**
 * How many letters must be changed, left out, added or swapped with their neighbour to make one word of the other
 * (optimal string alignment). Letters are code points.
 */
export function typosBetween(one: string, other: string): number {
  const [a, b] = [[...one], [...other]]
  let [before, above] = [[] as number[], b.map((_, column) => column).concat(b.length)]
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let least = Math.min(above[column]! + 1, line[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1))
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) least = Math.min(least, before[column - 2]! + 1)
      line.push(least)
    }
    ;[before, above] = [above, line]
  }
  return above[b.length]!
}
