import type { Provider, ProviderName } from './provider.ts'
import { simulated } from './simulated.ts'

/** The providers that accounts can be connected to, a line each. */
export const providers: Partial<Record<ProviderName, Provider>> = {
  simulated,
}
