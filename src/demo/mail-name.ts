const spelled: Record<string, string> = { ł: 'l', Ł: 'L', ß: 'ss', ı: 'i', ø: 'o' }

/** The Latin letters of a name as they stand in an e-mail address: `Łukasz Größmann` is `lukasz.grossmann`. */
export const mailName = (name: string): string =>
  name
    .replace(/[łŁßıø]/g, (letter) => spelled[letter]!)
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .trim()
    .replace(/ +/g, '.')
    .toLowerCase()
