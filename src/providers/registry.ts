import type { Provider, ProviderName } from './provider.ts'
import { seam } from './seam/seam.ts'
import { simulated } from './simulated.ts'
import { zigbee2mqtt } from './zigbee2mqtt/zigbee2mqtt.ts'

/** The providers that accounts can be connected to, a line each. */
export const providers: Partial<Record<ProviderName, Provider>> = {
  seam,
  zigbee2mqtt,
  simulated,
}
