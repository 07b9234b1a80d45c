/**
 * Every error the API can answer with: one row a code. `status` fixes `error.type` (contract, section 7).
 * docs/errors.md and the OpenAPI document are made from this table.
 */
export const errors = {
  invalid_request: [400, 'The request breaks a declared constraint. details.issues names every one.'],
  credential_missing: [401, 'Send an API key: Authorization: Bearer sk_live_…'],
  credential_invalid: [401, 'The API key is unknown, expired or revoked.'],
  permission_denied: [403, 'The API key, or the member it acts as, lacks the permission for this operation.'],
  member_outranks_you: [403, 'You may change only members who rank below you.'],
  permission_not_yours: [
    403,
    'You may give only permissions that you have, through this key. details.permissions names the others.',
  ],
  role_above_yours: [403, 'You may give no role above your own.'],
  unknown_path: [404, 'There is no such path and method in the API.'],
  cost_item_not_found: [404, 'No cost item of your organization has this id.'],
  device_not_found: [404, 'No device of your organization has this id.'],
  device_alert_not_found: [404, 'No device alert of your organization has this id.'],
  device_alert_rule_not_found: [404, 'No device alert rule of your organization has this id.'],
  device_command_not_found: [404, 'No device command of your organization has this id.'],
  instruction_not_found: [404, 'No guest instruction step of your organization has this id.'],
  integration_not_found: [404, 'No integration of your organization has this id.'],
  member_not_found: [404, 'No member of your organization has this id.'],
  property_not_found: [404, 'No property of your organization has this id.'],
  property_group_not_found: [404, 'No property group of your organization has this id.'],
  reservation_not_found: [404, 'No reservation of your organization has this id.'],
  task_not_found: [404, 'No task of your organization has this id.'],
  task_item_not_found: [404, 'No task item of your organization has this id.'],
  task_template_not_found: [404, 'No task template of your organization has this id.'],
  time_entry_not_found: [404, 'No time entry of your organization has this id.'],
  already_clocked_in: [409, 'The member has a running time entry, which details.timeEntryId names: clock out first.'],
  command_in_progress: [409, 'The lock is moving, or what became of its last movement is not known yet: see details.commandId.'],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still running. Retry in a moment.'],
  task_deleted: [409, 'The task is deleted: it can still be read, but no longer changed.'],
  template_already_applied: [409, 'The task is bound to a template already. Send replace: true to swap its requirements out.'],
  member_exists: [409, 'A member of the organization has this e-mail already. details.memberId names the member.'],
  not_clocked_in: [409, 'The member has no running time entry.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used with another body. Use a new key for a new request.'],
  invalid_reference: [
    422,
    'The body refers to something that is not there, or to a member who cannot be given work. details.fields names each.',
  ],
  amount_unclear: [422, 'Give quantity and unitCostCents, or flatCostCents, or say totalCostCents outright.'],
  break_mismatch: [422, 'A break has a breakDefinitionId, and work has none.'],
  impossible_time: [
    422,
    'The time cannot be meant: before 1970, more than a day ahead, or an end before its start. details.field names it.',
  ],
  integration_not_connected: [
    422,
    'The integration cannot be used: its settings are missing or cannot be decrypted, or Steward connects to no such provider. Send its settings again.',
  ],
  provider_not_connectable: [422, 'Steward connects to no such provider. details.allowed lists those it connects to.'],
  invalid_settings: [422, 'The settings are not what this provider takes. details.issues names every one.'],
  encryption_key_missing: [
    422,
    'The service has no key to encrypt settings under: its operator sets STEWARD_ENCRYPTION_KEY ("openssl rand -base64 32" makes one).',
  ],
  last_owner: [422, 'This is the last active owner of the organization: make another member owner first.'],
  device_archived: [422, 'The device is archived and takes no commands.'],
  device_is_no_lock: [422, 'The device is no lock.'],
  device_not_connected: [422, 'The device belongs to no account at a provider that Steward is connected to.'],
  device_not_simulated: [422, 'The device is not one of the simulated provider.'],
  device_unknown_to_provider: [422, 'The provider of the device does not know it.'],
  remote_controls_disabled: [422, 'The device may not be moved from afar: its remote controls are switched off.'],
  department_archived: [422, 'The department is archived and takes no new tasks.'],
  task_template_deleted: [422, 'The task template is deleted and can no longer be applied.'],
  negative_number: [422, 'The number must not be negative. details.field names it.'],
  period_too_long: [422, 'The time from start to end is too long. details.maxDays is how many days it may be.'],
  member_inactive: [422, 'The member is suspended: reinstate them first.'],
  time_entry_of_another_member: [422, 'The time entry belongs to another member than the one given.'],
  time_entry_running: [
    422,
    'A running time entry cannot be approved: clock out first. details.timeEntryIds names those running.',
  ],
  check_out_not_after_check_in: [422, 'Check-out must be after check-in.'],
  property_group_mismatch: [422, "The property belongs to another group, or to none. details.propertyGroupId is the property's."],
  unknown_time_zone: [422, 'The time zone is not known by this name: give one of the IANA names, such as Europe/Lisbon.'],
  id_mismatch: [422, 'The id in the body is not the id in the path.'],
  unknown_status_value: [422, 'The property status field has no such value. details.allowed lists those it has.'],
  sort_order_out_of_range: [422, 'The guide has fewer steps than that. details.maximum is the last place.'],
  instructions_mismatch: [
    422,
    'The ids must be exactly the steps of the property or property group, each once. details names those that are not.',
  ],
  rate_limit_exceeded: [429, 'The API key has used up its requests for this minute. Retry after the given seconds.'],
  internal: [500, 'Something went wrong on our side. The request id finds it in the log.'],
  database_unavailable: [
    503,
    'The database cannot be reached or did not answer in time. Retry; an Idempotency-Key keeps a write from happening twice.',
  ],
  provider_unavailable: [
    503,
    'The provider of the device cannot be used or did not answer in time. Nothing was moved; retry. details.reason says what it said.',
  ],
  overloaded: [503, 'The service has more work than it can do at once. Nothing was changed; retry.'],
} as const satisfies Record<string, readonly [Status, string]>

export type Status = 400 | 401 | 403 | 404 | 409 | 422 | 429 | 500 | 503
export type ErrorCode = keyof typeof errors

/** Contract, section 7: the status decides the type. */
export const errorTypes: Record<Status, string> = {
  400: 'validation_error',
  401: 'authentication_error',
  403: 'authorization_error',
  404: 'not_found_error',
  409: 'conflict_error',
  422: 'business_rule_error',
  429: 'rate_limit_error',
  500: 'internal_error',
  503: 'service_unavailable',
}

/** One broken constraint of a request. `path` leads to it: `query.limit`, `body.name`, `params.id`. */
export type Issue = { path: string; code: string; message: string }

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: Status
  readonly details: Record<string, unknown> | undefined
  /** Seconds after which a 503 may be tried again. */
  retryAfter = 1

  constructor(code: ErrorCode, details?: Record<string, unknown>, message: string = errors[code][1]) {
    super(message)
    this.code = code
    this.status = errors[code][0]
    this.details = details
  }
}

export const invalidRequest = (issues: Issue[]): ApiError => new ApiError('invalid_request', { issues })
