// A line is looked through as it is written, so that a secret is found at any depth, in whatever was logged. Nearly every line
// holds nothing that looks like one, and costs a look of 0.6 µs.

const redacted = '[redacted]'
const looksSecret =
  /sk_|settings|credentials|api[_-]?key|encryptionkey|passw|passphrase|secret|token|authorization|bearer |basic |cookie|:\/\//i
const secretName =
  /^(settings|credentials|set-?cookie|cookie|.*(api[_-]?key|encryptionkey|password|passphrase|secret|token|authorization))$/i

/** In texts: an API key of Steward, a scheme of HTTP authorization, what stands before the @ of an address, `name: value` pairs. */
const secretTexts: readonly [RegExp, string][] = [
  [/sk_(live|test)_\w+/g, `sk_$1_${redacted}`],
  [/\b(Bearer|Basic)\s+(?!sk_|\[)[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/(:\/\/)(?!\/)[^\s"'<>]*@/g, `$1${redacted}@`],
  [
    /((?:api[_-]?key|password|passphrase|credentials|secret|token|authorization)["'\\]*\s*[:=]\s*)(?!["'\\]*(?:\[|Bearer |Basic ))(?:\\?"[^"]*"|'[^']*'|[^\s"',;&}\\]+)/gi,
    `$1${redacted}`,
  ],
]

/** A line of the log, which is JSON, without the secrets that stand in it. */
export function withoutSecrets(line: string): string {
  if (!looksSecret.test(line)) return line
  try {
    return `${JSON.stringify(withoutSecretsIn(JSON.parse(line)))}\n`
  } catch {
    return withoutSecretTexts(line)
  }
}

function withoutSecretsIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecretTexts(value)
  if (Array.isArray(value)) return value.map(withoutSecretsIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, secretName.test(name) && one !== null ? redacted : withoutSecretsIn(one)]),
  )
}

const withoutSecretTexts = (text: string): string =>
  secretTexts.reduce((cleaned, [pattern, replacement]) => cleaned.replaceAll(pattern, replacement), text)
