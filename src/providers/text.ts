/** Somebody else's text as PostgreSQL, JSON and the API's limits take it: what cannot be kept is left out. `max` in UTF-16 units. */
export function keptText(text: string, max: number): string {
  const cut = text.replaceAll('\0', '').slice(0, max)
  const isCutInTwo = text.length > max && /[\ud800-\udbff]$/.test(cut)
  return (isCutInTwo ? cut.slice(0, -1) : cut).toWellFormed()
}

/** Whether it can be kept as it stands, of which an id must be sure: another text would be another id. */
export const isKeepable = (text: unknown, max: number): text is string =>
  typeof text === 'string' && text.length > 0 && keptText(text, max) === text
