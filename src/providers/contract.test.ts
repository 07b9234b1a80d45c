import { contract } from '../../test/providers/contract.ts'
import { seamSubject } from '../../test/providers/seam-world.ts'
import { simulatedSubject } from '../../test/providers/simulated-world.ts'
import { zigbee2mqttSubject } from '../../test/providers/zigbee2mqtt-world.ts'

contract(simulatedSubject)
contract(seamSubject)
contract(zigbee2mqttSubject)
