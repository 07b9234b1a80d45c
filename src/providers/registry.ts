import type { Provider, ProviderName } from './provider.ts'

/** The providers that accounts can be connected to, a line each. */
export const providers: Partial<Record<ProviderName, Provider>> = {}
