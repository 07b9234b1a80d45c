/** The words that a misspelt one was probably meant to be, nearest first; at most three. */
export function nearest(word: string, words: readonly string[]): string[] {
  const wanted = word.toLowerCase()
  return words
    .map((candidate) => ({ candidate, steps: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.max(2, word.length / 3) || isPartOf(wanted, candidate.toLowerCase()))
    .sort((a, b) => a.steps - b.steps)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** `; did you mean view_tasks or view_task_templates?`, or nothing where no word is near. */
export function didYouMean(word: string, words: readonly string[]): string {
  const near = nearest(word, words)
  return near.length > 0 ? `; did you mean ${new Intl.ListFormat('en', { type: 'disjunction' }).format(near)}?` : ''
}

const isPartOf = (word: string, candidate: string) => word.length >= 3 && candidate.includes(word)

/** Insertions, deletions and replacements from one word to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}
