import type { Endpoint } from '../http/endpoint.ts'
import { createApproval } from './approvals/create.ts'
import { createCostItem } from './cost-items/create.ts'
import { getCostItem } from './cost-items/get.ts'
import { listCostItems } from './cost-items/list.ts'
import { getCostDay } from './costs/day.ts'
import { listCosts } from './costs/list.ts'
import { listDepartments } from './departments/list.ts'
import { deleteDeviceAlertRule } from './device-alert-rules/delete.ts'
import { listDeviceAlertRules } from './device-alert-rules/list.ts'
import { setDeviceAlertRule } from './device-alert-rules/set.ts'
import { acknowledgeDeviceAlert } from './device-alerts/acknowledge.ts'
import { getDeviceAlert } from './device-alerts/get.ts'
import { listDeviceAlerts } from './device-alerts/list.ts'
import { getDeviceCommand } from './device-commands/get.ts'
import { listDeviceCommands } from './device-commands/list.ts'
import { getDevice } from './devices/get.ts'
import { listDevices } from './devices/list.ts'
import { lockDevice } from './devices/lock.ts'
import { refreshDevice } from './devices/refresh.ts'
import { unlockDevice } from './devices/unlock.ts'
import { updateDevice } from './devices/update.ts'
import { listEvents } from './events/list.ts'
import { createInstruction } from './instructions/create.ts'
import { deleteInstruction } from './instructions/delete.ts'
import { getInstruction } from './instructions/get.ts'
import { listInstructions } from './instructions/list.ts'
import { reorderInstructions } from './instructions/reorder.ts'
import { updateInstruction } from './instructions/update.ts'
import { testIntegration } from './integrations/check.ts'
import { createIntegration } from './integrations/create.ts'
import { deleteIntegration } from './integrations/delete.ts'
import { getIntegration } from './integrations/get.ts'
import { listIntegrations } from './integrations/list.ts'
import { syncIntegration } from './integrations/synchronize.ts'
import { updateIntegration } from './integrations/update.ts'
import { activateMember } from './members/activate.ts'
import { getMember } from './members/get.ts'
import { inviteMember } from './members/invite.ts'
import { listMembers } from './members/list.ts'
import { reinstateMember } from './members/reinstate.ts'
import { changeMemberRole } from './members/role.ts'
import { suspendMember } from './members/suspend.ts'
import { getOrganization } from './organization/get.ts'
import { listPortals } from './portals/list.ts'
import { createProperty } from './properties/create.ts'
import { getProperty } from './properties/get.ts'
import { listProperties } from './properties/list.ts'
import { setPropertyStatus } from './properties/set-status.ts'
import { getPropertyGroup } from './property-groups/get.ts'
import { listPropertyGroups } from './property-groups/list.ts'
import { createReservation } from './reservations/create.ts'
import { getReservation } from './reservations/get.ts'
import { listReservations } from './reservations/list.ts'
import { setCheckInState } from './reservations/set-check-in-state.ts'
import { updateReservation } from './reservations/update.ts'
import { search } from './search/search.ts'
import { getSimulation } from './simulations/get.ts'
import { updateSimulation } from './simulations/update.ts'
import { updateTaskItem } from './task-items/update.ts'
import { applyTaskTemplate } from './task-template-applications/create.ts'
import { getTaskTemplate } from './task-templates/get.ts'
import { listTaskTemplates } from './task-templates/list.ts'
import { createTask } from './tasks/create.ts'
import { deleteTask } from './tasks/delete.ts'
import { getTask } from './tasks/get.ts'
import { listTasks } from './tasks/list.ts'
import { updateTask } from './tasks/update.ts'
import { clockIn } from './time-entries/clock-in.ts'
import { clockOut } from './time-entries/clock-out.ts'
import { createTimeEntry } from './time-entries/create.ts'
import { getTimeEntry } from './time-entries/get.ts'
import { listTimeEntries } from './time-entries/list.ts'
import { updateTimeEntry } from './time-entries/update.ts'

/** The whole API, in reading order. */
export const endpoints: readonly Endpoint[] = [
  getOrganization,

  listDepartments,

  listMembers,
  inviteMember,
  getMember,
  activateMember,
  changeMemberRole,
  suspendMember,
  reinstateMember,

  listDevices,
  getDevice,
  updateDevice,
  refreshDevice,
  lockDevice,
  unlockDevice,
  listDeviceCommands,
  getDeviceCommand,
  getSimulation,
  updateSimulation,

  listDeviceAlerts,
  getDeviceAlert,
  acknowledgeDeviceAlert,
  listDeviceAlertRules,
  setDeviceAlertRule,
  deleteDeviceAlertRule,

  listIntegrations,
  createIntegration,
  getIntegration,
  updateIntegration,
  deleteIntegration,
  testIntegration,
  syncIntegration,

  listProperties,
  getProperty,
  createProperty,
  setPropertyStatus,
  listPropertyGroups,
  getPropertyGroup,

  listReservations,
  getReservation,
  createReservation,
  updateReservation,
  setCheckInState,

  listTasks,
  createTask,
  getTask,
  updateTask,
  deleteTask,
  updateTaskItem,
  listTaskTemplates,
  getTaskTemplate,
  applyTaskTemplate,

  listTimeEntries,
  createTimeEntry,
  clockIn,
  clockOut,
  getTimeEntry,
  updateTimeEntry,
  listCostItems,
  createCostItem,
  getCostItem,
  createApproval,

  listCosts,
  getCostDay,

  listInstructions,
  getInstruction,
  createInstruction,
  updateInstruction,
  reorderInstructions,
  deleteInstruction,

  listPortals,

  search,

  listEvents,
]
