create extension btree_gin;
create extension pg_trgm;
create extension unaccent;

create domain permission_list as text[]
  CHECK ((VALUE <@ ARRAY['view_dashboard'::text, 'private_code'::text, 'view_tasks'::text, 'modify_tasks'::text, 'delete_tasks'::text, 'view_task_templates'::text, 'manage_task_templates'::text, 'delete_task_templates'::text, 'manage_task_rates'::text, 'view_devices'::text, 'control_device'::text, 'modify_devices'::text, 'view_properties'::text, 'modify_properties'::text, 'delete_properties'::text, 'view_reservations'::text, 'modify_reservations'::text, 'view_guest_ids'::text, 'view_guides'::text, 'modify_guides'::text, 'delete_guide'::text, 'view_integration'::text, 'manage_integrations'::text, 'account_admin'::text, 'view_organization'::text, 'manage_organization'::text, 'view_users'::text, 'manage_users'::text, 'delete_users'::text, 'view_lock_code'::text, 'manage_lock_code'::text, 'view_staff_codes'::text, 'view_event'::text, 'manage_event'::text, 'view_analytics'::text, 'view_logs'::text, 'view_workflows'::text, 'manage_workflows'::text, 'delete_workflows'::text, 'view_payments'::text, 'manage_payments'::text, 'view_inbox'::text, 'manage_inbox'::text, 'view_booking_engine'::text, 'manage_booking_engine'::text, 'view_shifts'::text, 'manage_shifts'::text, 'approve_time_entries'::text, 'manage_message_templates'::text]));

CREATE OR REPLACE FUNCTION public.fold(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public'
AS $function$ begin
  if octet_length(value) = length(value) then return lower(value); end if;
  return translate(lower(unaccent('unaccent', normalize(value, NFKC))), 'ς', 'σ');
end $function$;

CREATE OR REPLACE FUNCTION public.search_learns(word text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((length(word) >= 4) AND ("left"(word, 4) !~ '[0-9]'::text));

CREATE OR REPLACE FUNCTION public.search_name(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public'
AS $function$ begin
  return left(btrim(fold(value)), 200);
end $function$;

CREATE OR REPLACE FUNCTION public.search_text(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public'
AS $function$
declare words text;
begin
  if octet_length(value) = length(value) then
    words := regexp_replace(lower(value), '[^a-z0-9]+', ' ', 'g');
  else
    words := regexp_replace(fold(value), '[\u200B-\u200F\uFE00-\uFE0F\U0001F3FB-\U0001F3FF]', '', 'g');
    words := regexp_replace(words,
      '([\u2600-\u27BF\u2E80-\u2FDF\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF\U0001F000-\U0001FAFF\U00020000-\U0003FFFF])', ' \1 ', 'g');
    words := regexp_replace(words, '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f]+', ' ', 'g');
  end if;
  if length(words) > 100 then words := regexp_replace(words, '([^ ]{100})[^ ]+', '\1', 'g'); end if;
  return btrim(words);
end $function$;

CREATE OR REPLACE FUNCTION public.search_typos(word text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((word ~ '[0-9]'::text) OR ((length(word) < 4) OR (length(word) > 30))) THEN 0 WHEN (length(word) < 8) THEN 1 ELSE 2 END;

CREATE OR REPLACE FUNCTION public.search_variants(word text, most integer)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (WITH once AS (SELECT search_variants.word AS variant UNION ALL SELECT ("left"(search_variants.word, (i.i - 1)) || substr(search_variants.word, (i.i + 1))) FROM generate_series(1, length(search_variants.word)) i(i) WHERE (search_variants.most >= 1)), twice AS (SELECT once.variant FROM once UNION ALL SELECT ("left"(once.variant, (i.i - 1)) || substr(once.variant, (i.i + 1))) FROM once, LATERAL generate_series(1, length(once.variant)) i(i) WHERE (search_variants.most >= 2)) SELECT array_agg(DISTINCT twice.variant) AS array_agg FROM twice);

CREATE OR REPLACE FUNCTION public.search_vector(organization_id uuid, value text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public'
AS $function$
declare place text := right(organization_id::text, 8);
begin
  return array_to_tsvector(array_remove(string_to_array(place || replace(search_text(value), ' ', ' ' || place), ' '), place));
end $function$;

CREATE OR REPLACE FUNCTION public.search_words_of(value text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN string_to_array(search_text(value), ' '::text);

create table api_keys (
  id uuid not null,
  digest bytea not null,
  organization_id uuid not null,
  member_id uuid not null,
  name text,
  permissions permission_list not null,
  rate_limit integer,
  default_property_id uuid,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_digest_key UNIQUE (digest),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint api_keys_digest_check CHECK ((length(digest) = 32)),
  constraint api_keys_rate_limit_check CHECK ((rate_limit > 0))
);
CREATE INDEX api_keys_organization_id_created_at_id_idx ON public.api_keys USING btree (organization_id, created_at, id);
CREATE INDEX api_keys_organization_id_member_id_idx ON public.api_keys USING btree (organization_id, member_id);

create table break_definitions (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  is_paid boolean not null,
  duration_minutes integer,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint break_definitions_pkey PRIMARY KEY (organization_id, id),
  constraint break_definitions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint break_definitions_duration_minutes_check CHECK ((duration_minutes >= 0))
);

create table checklist_items (
  organization_id uuid not null,
  id uuid not null,
  group_id uuid not null,
  template_id uuid not null,
  description_text text,
  option_group_id uuid,
  rank numeric,
  user_created boolean,
  created_by_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint checklist_items_pkey PRIMARY KEY (organization_id, id),
  constraint checklist_items_organization_id_group_id_fkey FOREIGN KEY (organization_id, group_id) REFERENCES task_template_groups(organization_id, id),
  constraint checklist_items_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES task_templates(organization_id, id)
);
CREATE INDEX checklist_items_organization_id_group_id_rank_created_at_id_idx ON public.checklist_items USING btree (organization_id, group_id, rank, created_at, id);
CREATE INDEX checklist_items_organization_id_template_id_idx ON public.checklist_items USING btree (organization_id, template_id);

create table cost_items (
  organization_id uuid not null,
  id uuid not null,
  member_id uuid,
  time_entry_id uuid,
  cost_type text not null,
  description text,
  quantity numeric,
  unit_cost_cents bigint,
  flat_cost_cents bigint,
  total_cost_cents bigint not null,
  billable_total_cents bigint,
  is_approved boolean,
  photos text[],
  department_id uuid,
  property_id uuid,
  task_id uuid,
  incurred_at timestamp(3) with time zone not null,
  edited_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint cost_items_pkey PRIMARY KEY (organization_id, id),
  constraint cost_items_organization_id_department_id_fkey FOREIGN KEY (organization_id, department_id) REFERENCES departments(organization_id, id),
  constraint cost_items_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint cost_items_organization_id_member_id_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id),
  constraint cost_items_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint cost_items_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id),
  constraint cost_items_organization_id_time_entry_id_fkey FOREIGN KEY (organization_id, time_entry_id) REFERENCES time_entries(organization_id, id),
  constraint cost_items_cost_type_check CHECK ((cost_type = ANY (ARRAY['material'::text, 'expense'::text, 'other'::text])))
);
CREATE INDEX cost_items_organization_id_created_at_id_idx ON public.cost_items USING btree (organization_id, created_at, id);
CREATE INDEX cost_items_organization_id_incurred_at_idx ON public.cost_items USING btree (organization_id, incurred_at);
CREATE INDEX cost_items_organization_id_member_id_incurred_at_idx ON public.cost_items USING btree (organization_id, member_id, incurred_at);
CREATE INDEX cost_items_organization_id_task_id_idx ON public.cost_items USING btree (organization_id, task_id);

create table department_members (
  organization_id uuid not null,
  department_id uuid not null,
  member_id uuid not null,
  is_manager boolean not null default false,
  constraint department_members_pkey PRIMARY KEY (organization_id, department_id, member_id),
  constraint department_members_organization_id_department_id_fkey FOREIGN KEY (organization_id, department_id) REFERENCES departments(organization_id, id),
  constraint department_members_organization_id_member_id_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id)
);
CREATE INDEX department_members_organization_id_member_id_department_id_idx ON public.department_members USING btree (organization_id, member_id, department_id);

create table department_translations (
  organization_id uuid not null,
  department_id uuid not null,
  language text not null,
  name text,
  description text,
  constraint department_translations_pkey PRIMARY KEY (organization_id, department_id, language),
  constraint department_translations_organization_id_department_id_fkey FOREIGN KEY (organization_id, department_id) REFERENCES departments(organization_id, id),
  constraint department_translations_language_check CHECK ((language = ANY (ARRAY['en'::text, 'es'::text, 'fr'::text, 'nl'::text, 'de'::text, 'zh'::text, 'ar'::text, 'it'::text, 'bg'::text, 'ja'::text, 'pt'::text, 'el'::text, 'cs'::text, 'he'::text])))
);

create table departments (
  organization_id uuid not null,
  id uuid not null,
  name text,
  description text,
  category text,
  color text,
  is_maintenance boolean,
  auto_assign_enabled boolean,
  assignment_method text,
  backup_assignment_method text,
  blocking_priority text,
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint departments_pkey PRIMARY KEY (organization_id, id),
  constraint departments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint departments_blocking_priority_check CHECK ((blocking_priority = ANY (ARRAY['watch'::text, 'low'::text, 'medium'::text, 'high'::text, 'urgent'::text]))),
  constraint departments_category_check CHECK ((category = ANY (ARRAY['cleans'::text, 'maintenance'::text, 'inspections'::text, 'guest_experience'::text, 'other'::text])))
);
CREATE INDEX departments_organization_id_category_idx ON public.departments USING btree (organization_id, category);
CREATE INDEX departments_organization_id_created_at_id_idx ON public.departments USING btree (organization_id, created_at, id);

create table device_alert_rules (
  organization_id uuid not null,
  id uuid not null,
  kind text not null,
  task_template_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint device_alert_rules_pkey PRIMARY KEY (organization_id, id),
  constraint device_alert_rules_organization_id_kind_key UNIQUE (organization_id, kind),
  constraint device_alert_rules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint device_alert_rules_organization_id_task_template_id_fkey FOREIGN KEY (organization_id, task_template_id) REFERENCES task_templates(organization_id, id),
  constraint device_alert_rules_kind_check CHECK ((kind = ANY (ARRAY['offline'::text, 'low_battery'::text, 'jammed'::text, 'stale'::text])))
);

create table device_alerts (
  organization_id uuid not null,
  id uuid not null,
  device_id uuid not null,
  kind text not null,
  opened_at timestamp(3) with time zone not null,
  closed_at timestamp(3) with time zone,
  acknowledged_at timestamp(3) with time zone,
  acknowledged_by_member_id uuid,
  battery_level numeric,
  observed_at timestamp(3) with time zone,
  message text,
  task_id uuid,
  task_problem text,
  constraint device_alerts_pkey PRIMARY KEY (organization_id, id),
  constraint device_alerts_organization_id_acknowledged_by_member_id_fkey FOREIGN KEY (organization_id, acknowledged_by_member_id) REFERENCES members(organization_id, id),
  constraint device_alerts_organization_id_device_id_fkey FOREIGN KEY (organization_id, device_id) REFERENCES devices(organization_id, id),
  constraint device_alerts_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id),
  constraint device_alerts_check CHECK ((closed_at >= opened_at)),
  constraint device_alerts_kind_check CHECK ((kind = ANY (ARRAY['offline'::text, 'low_battery'::text, 'jammed'::text, 'stale'::text]))),
  constraint device_alerts_task_problem_check CHECK ((task_problem = ANY (ARRAY['no_template'::text, 'no_department'::text])))
);
CREATE UNIQUE INDEX device_alerts_open ON public.device_alerts USING btree (organization_id, device_id, kind) WHERE (closed_at IS NULL);
CREATE INDEX device_alerts_organization_id_device_id_opened_at_id_idx ON public.device_alerts USING btree (organization_id, device_id, opened_at, id);
CREATE INDEX device_alerts_organization_id_opened_at_id_idx ON public.device_alerts USING btree (organization_id, opened_at, id);

create table device_commands (
  organization_id uuid not null,
  id uuid not null,
  device_id uuid not null,
  kind text not null,
  state text not null default 'pending'::text,
  external_ref text,
  error_code text,
  error_message text,
  observed_lock_state text,
  api_key_id uuid,
  member_id uuid,
  sent_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  checks integer not null default 0,
  check_after timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint device_commands_pkey PRIMARY KEY (organization_id, id),
  constraint device_commands_organization_id_device_id_fkey FOREIGN KEY (organization_id, device_id) REFERENCES devices(organization_id, id),
  constraint device_commands_kind_check CHECK ((kind = ANY (ARRAY['lock'::text, 'unlock'::text, 'refresh'::text]))),
  constraint device_commands_observed_lock_state_check CHECK ((observed_lock_state = ANY (ARRAY['locked'::text, 'unlocked'::text, 'jammed'::text, 'unknown'::text]))),
  constraint device_commands_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX device_commands_moving ON public.device_commands USING btree (organization_id, device_id) WHERE ((state = 'pending'::text) AND (kind <> 'refresh'::text));
CREATE INDEX device_commands_organization_id_device_id_created_at_id_idx ON public.device_commands USING btree (organization_id, device_id, created_at, id);
CREATE INDEX device_commands_unfinished ON public.device_commands USING btree (state, check_after) WHERE (state = 'pending'::text);

create table device_properties (
  organization_id uuid not null,
  device_id uuid not null,
  property_id uuid not null,
  constraint device_properties_pkey PRIMARY KEY (organization_id, device_id, property_id),
  constraint device_properties_organization_id_device_id_fkey FOREIGN KEY (organization_id, device_id) REFERENCES devices(organization_id, id),
  constraint device_properties_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id)
);
CREATE INDEX device_properties_organization_id_property_id_device_id_idx ON public.device_properties USING btree (organization_id, property_id, device_id);

create table devices (
  organization_id uuid not null,
  id uuid not null,
  integration_account_id uuid,
  external_id text,
  name text,
  type text,
  ecosystem text,
  provider text,
  online boolean,
  battery_level numeric,
  battery_updated_at timestamp(3) with time zone,
  health_check timestamp(3) with time zone,
  device_state jsonb,
  is_archived boolean not null default false,
  enable_remote_controls boolean not null default true,
  provider_name text,
  archived_by_sync boolean not null default false,
  is_listed boolean not null default true,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  search_name text generated always as (search_name(COALESCE(name, ''::text))) stored,
  search tsvector generated always as (search_vector(organization_id, COALESCE(name, ''::text))) stored,
  constraint devices_pkey PRIMARY KEY (organization_id, id),
  constraint devices_organization_id_integration_account_id_external_id_key UNIQUE (organization_id, integration_account_id, external_id),
  constraint devices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint devices_organization_id_integration_account_id_fkey FOREIGN KEY (organization_id, integration_account_id) REFERENCES integration_accounts(organization_id, id),
  constraint devices_battery_level_check CHECK (((battery_level >= (0)::numeric) AND (battery_level <= (100)::numeric))),
  constraint devices_ecosystem_check CHECK ((ecosystem = ANY (ARRAY['seam'::text, 'zigbee'::text, 'zwave'::text, 'matter'::text, 'smartthings'::text, 'august'::text, 'yale'::text, 'schlage'::text, 'nuki'::text, 'ttlock'::text, 'ecobee'::text, 'minut'::text]))),
  constraint devices_provider_check CHECK ((provider = ANY (ARRAY['seam'::text, 'zigbee2mqtt'::text, 'home_assistant'::text, 'simulated'::text, 'manual'::text]))),
  constraint devices_type_check CHECK ((type = ANY (ARRAY['lock'::text, 'thermostat'::text, 'sensor'::text, 'door_window_sensor'::text, 'sound_system'::text, 'hub'::text, 'light'::text, 'camera'::text, 'repeater'::text])))
);
CREATE INDEX devices_name_search ON public.devices USING gin (organization_id, fold(COALESCE(name, ''::text)) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX devices_organization_id_battery_level_idx ON public.devices USING btree (organization_id, battery_level);
CREATE INDEX devices_organization_id_created_at_id_idx ON public.devices USING btree (organization_id, created_at, id);
CREATE INDEX devices_organization_id_ecosystem_created_at_id_idx ON public.devices USING btree (organization_id, ecosystem, created_at, id);
CREATE INDEX devices_organization_id_integration_account_id_created_at_i_idx ON public.devices USING btree (organization_id, integration_account_id, created_at, id);
CREATE INDEX devices_organization_id_is_archived_created_at_id_idx ON public.devices USING btree (organization_id, is_archived, created_at, id);
CREATE INDEX devices_organization_id_online_created_at_id_idx ON public.devices USING btree (organization_id, online, created_at, id);
CREATE INDEX devices_organization_id_provider_created_at_id_idx ON public.devices USING btree (organization_id, provider, created_at, id);
CREATE INDEX devices_organization_id_type_created_at_id_idx ON public.devices USING btree (organization_id, type, created_at, id);
CREATE INDEX devices_search ON public.devices USING gin (organization_id, search) WITH (fastupdate=off);
CREATE INDEX devices_search_name ON public.devices USING btree (organization_id, search_name);

create table events (
  organization_id uuid not null,
  id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  member_id uuid,
  api_key_id uuid,
  request_id text,
  idempotency_key text,
  changes jsonb not null default '{}'::jsonb,
  transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamp(3) with time zone not null default now(),
  constraint events_pkey PRIMARY KEY (organization_id, id),
  constraint events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX events_organization_id_created_at_id_idx ON public.events USING btree (organization_id, created_at, id);
CREATE INDEX events_organization_id_entity_type_entity_id_id_idx ON public.events USING btree (organization_id, entity_type, entity_id, id);
CREATE INDEX events_organization_id_transaction_id_id_idx ON public.events USING btree (organization_id, transaction_id, id);
CREATE INDEX events_organization_id_type_id_idx ON public.events USING btree (organization_id, type, id);

create table guests (
  organization_id uuid not null,
  id uuid not null,
  first_name text,
  last_name text,
  email text,
  phone text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint guests_pkey PRIMARY KEY (organization_id, id),
  constraint guests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table idempotency_records (
  organization_id uuid not null,
  scope_digest bytea not null,
  body_digest bytea not null,
  request_id text not null,
  status smallint,
  body text,
  command_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  constraint idempotency_records_pkey PRIMARY KEY (organization_id, scope_digest),
  constraint idempotency_records_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX idempotency_records_created_at_idx ON public.idempotency_records USING btree (created_at);

create table instructions (
  organization_id uuid not null,
  id uuid not null,
  property_id uuid,
  property_group_id uuid,
  device_id uuid,
  type text,
  title text,
  description text,
  code_type text,
  fixed_code text,
  image_url text,
  video_url text,
  is_access_displayed boolean,
  sort_order integer not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint instructions_pkey PRIMARY KEY (organization_id, id),
  constraint instructions_organization_id_property_group_id_sort_order_key UNIQUE (organization_id, property_group_id, sort_order) DEFERRABLE INITIALLY DEFERRED,
  constraint instructions_organization_id_property_id_sort_order_key UNIQUE (organization_id, property_id, sort_order) DEFERRABLE INITIALLY DEFERRED,
  constraint instructions_organization_id_device_id_fkey FOREIGN KEY (organization_id, device_id) REFERENCES devices(organization_id, id),
  constraint instructions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint instructions_organization_id_property_group_id_fkey FOREIGN KEY (organization_id, property_group_id) REFERENCES property_groups(organization_id, id),
  constraint instructions_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint instructions_check CHECK ((num_nonnulls(property_id, property_group_id) = 1)),
  constraint instructions_sort_order_check CHECK ((sort_order >= 0))
);
CREATE INDEX instructions_organization_id_created_at_id_idx ON public.instructions USING btree (organization_id, created_at, id);

create table integration_accounts (
  organization_id uuid not null,
  id uuid not null,
  provider text not null,
  name text,
  credentials bytea,
  last_synced_at timestamp(3) with time zone,
  next_poll_at timestamp(3) with time zone not null default now(),
  poll_failures integer not null default 0,
  last_polled_at timestamp(3) with time zone,
  last_poll_error text,
  watched_by uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint integration_accounts_pkey PRIMARY KEY (organization_id, id),
  constraint integration_accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint integration_accounts_poll_failures_check CHECK ((poll_failures >= 0)),
  constraint integration_accounts_provider_check CHECK ((provider = ANY (ARRAY['seam'::text, 'zigbee2mqtt'::text, 'home_assistant'::text, 'simulated'::text, 'manual'::text])))
);
CREATE INDEX integration_accounts_next_poll_at_idx ON public.integration_accounts USING btree (next_poll_at);
CREATE INDEX integration_accounts_watched_by_idx ON public.integration_accounts USING btree (watched_by) WHERE (watched_by IS NOT NULL);

create table kept_costs (
  organization_id uuid not null,
  starts timestamp(3) with time zone not null,
  ends timestamp(3) with time zone not null,
  group_by text not null,
  zone text not null,
  rows text not null,
  pending_rows text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint kept_costs_pkey PRIMARY KEY (organization_id, starts, group_by, zone),
  constraint kept_costs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint kept_costs_group_by_check CHECK ((group_by = ANY (ARRAY['day'::text, 'week'::text])))
);

create table member_property_groups (
  organization_id uuid not null,
  member_id uuid not null,
  property_group_id uuid not null,
  constraint member_property_groups_pkey PRIMARY KEY (organization_id, member_id, property_group_id),
  constraint member_property_groups_organization_id_member_id_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id),
  constraint member_property_groups_organization_id_property_group_id_fkey FOREIGN KEY (organization_id, property_group_id) REFERENCES property_groups(organization_id, id)
);
CREATE INDEX member_property_groups_organization_id_property_group_id_me_idx ON public.member_property_groups USING btree (organization_id, property_group_id, member_id);

create table members (
  organization_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  first_name text,
  last_name text,
  email text,
  avatar_url text,
  member_type text not null default 'internal'::text,
  role text not null,
  permissions permission_list not null default '{}'::text[],
  hourly_cost_cents bigint,
  hourly_billable_cents bigint,
  invited_at timestamp(3) with time zone,
  joined_at timestamp(3) with time zone,
  deactivated_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  search_name text generated always as (search_name(((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text)))) stored,
  search tsvector generated always as (search_vector(organization_id, ((((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text)) || ' '::text) || COALESCE(email, ''::text)))) stored,
  constraint members_pkey PRIMARY KEY (organization_id, id),
  constraint members_organization_id_user_id_key UNIQUE (organization_id, user_id),
  constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint members_member_type_check CHECK ((member_type = ANY (ARRAY['internal'::text, 'external'::text]))),
  constraint members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'manager'::text, 'field_supervisor'::text, 'field_team_member'::text, 'member'::text, 'viewer'::text, 'custom'::text])))
);
CREATE UNIQUE INDEX members_email ON public.members USING btree (organization_id, lower(email));
CREATE INDEX members_email_search ON public.members USING gin (organization_id, fold(COALESCE(email, ''::text)) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX members_name_search ON public.members USING gin (organization_id, fold(((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text))) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX members_organization_id_created_at_id_idx ON public.members USING btree (organization_id, created_at, id);
CREATE INDEX members_organization_id_role_idx ON public.members USING btree (organization_id, role);
CREATE INDEX members_search ON public.members USING gin (organization_id, search) WITH (fastupdate=off);
CREATE INDEX members_search_name ON public.members USING btree (organization_id, search_name);

create table migrations (
  id integer not null default nextval('migrations_id_seq'::regclass),
  name character varying(255) not null,
  run_on timestamp without time zone not null,
  constraint migrations_pkey PRIMARY KEY (id)
);

create table organizations (
  id uuid not null,
  name text not null,
  slug text not null,
  region text not null default 'local'::text,
  timezone text,
  device_count integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_slug_key UNIQUE (slug),
  constraint organizations_device_count_check CHECK ((device_count >= 0)),
  constraint organizations_slug_check CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text))
);

create table portals (
  organization_id uuid not null,
  id uuid not null,
  name text,
  is_default boolean not null default false,
  support_email text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint portals_pkey PRIMARY KEY (organization_id, id),
  constraint portals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE UNIQUE INDEX portals_one_default ON public.portals USING btree (organization_id) WHERE is_default;
CREATE INDEX portals_organization_id_created_at_id_idx ON public.portals USING btree (organization_id, created_at, id);

create table properties (
  organization_id uuid not null,
  id uuid not null,
  name text,
  nickname text,
  property_group_id uuid,
  portal_settings_id uuid,
  street_address text,
  unit_number text,
  city text,
  state text,
  postal_code text,
  country_code text,
  formatted_address text,
  latitude numeric,
  longitude numeric,
  timezone text,
  cover_image_url text,
  wifi_name text,
  internal_access_notes text,
  code_display text,
  group_code_display text,
  review_request_url text,
  review_request_overrides jsonb not null default '{}'::jsonb,
  average_rating numeric,
  bathroom_count numeric,
  bed_count integer,
  bedroom_count integer,
  max_guests integer,
  default_check_in_hour integer,
  default_check_out_hour integer,
  hide_timer_hours numeric,
  readiness_status text,
  cleaning_status text,
  inspection_status text,
  maintenance_status text,
  has_check_in_instruction_timer boolean,
  is_address_hidden boolean,
  is_backup_swap_disabled boolean,
  is_bookable boolean,
  is_code_override_fixed boolean,
  is_disabled boolean,
  is_inspection_required boolean,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  search_name text generated always as (search_name(COALESCE(name, nickname, ''::text))) stored,
  search tsvector generated always as (search_vector(organization_id, ((COALESCE(name, ''::text) || ' '::text) || COALESCE(nickname, ''::text)))) stored,
  constraint properties_pkey PRIMARY KEY (organization_id, id),
  constraint properties_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint properties_organization_id_portal_settings_id_fkey FOREIGN KEY (organization_id, portal_settings_id) REFERENCES portals(organization_id, id),
  constraint properties_organization_id_property_group_id_fkey FOREIGN KEY (organization_id, property_group_id) REFERENCES property_groups(organization_id, id),
  constraint properties_default_check_in_hour_check CHECK (((default_check_in_hour >= 0) AND (default_check_in_hour <= 23))),
  constraint properties_default_check_out_hour_check CHECK (((default_check_out_hour >= 0) AND (default_check_out_hour <= 23))),
  constraint properties_latitude_check CHECK (((latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric))),
  constraint properties_longitude_check CHECK (((longitude >= ('-180'::integer)::numeric) AND (longitude <= (180)::numeric)))
);
CREATE INDEX properties_name_search ON public.properties USING gin (organization_id, fold(((COALESCE(name, ''::text) || ' '::text) || COALESCE(nickname, ''::text))) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX properties_organization_id_created_at_id_idx ON public.properties USING btree (organization_id, created_at, id);
CREATE INDEX properties_organization_id_property_group_id_created_at_id_idx ON public.properties USING btree (organization_id, property_group_id, created_at, id);
CREATE INDEX properties_search ON public.properties USING gin (organization_id, search) WITH (fastupdate=off);
CREATE INDEX properties_search_name ON public.properties USING btree (organization_id, search_name);

create table property_groups (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  timezone text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  search_name text generated always as (search_name(name)) stored,
  search tsvector generated always as (search_vector(organization_id, name)) stored,
  constraint property_groups_pkey PRIMARY KEY (organization_id, id),
  constraint property_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX property_groups_organization_id_created_at_id_idx ON public.property_groups USING btree (organization_id, created_at, id);
CREATE INDEX property_groups_search ON public.property_groups USING gin (organization_id, search) WITH (fastupdate=off);
CREATE INDEX property_groups_search_name ON public.property_groups USING btree (organization_id, search_name);

create table property_status_changes (
  organization_id uuid not null,
  id uuid not null,
  property_id uuid not null,
  field text not null,
  value text,
  previous_value text,
  trigger text not null,
  reservation_id uuid,
  member_id uuid,
  request_id text,
  created_at timestamp(3) with time zone not null default now(),
  constraint property_status_changes_pkey PRIMARY KEY (organization_id, id),
  constraint property_status_changes_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint property_status_changes_organization_id_reservation_id_fkey FOREIGN KEY (organization_id, reservation_id) REFERENCES reservations(organization_id, id),
  constraint property_status_changes_field_check CHECK ((field = ANY (ARRAY['readiness'::text, 'cleaning'::text, 'inspection'::text, 'maintenance'::text])))
);
CREATE INDEX property_status_changes_organization_id_property_id_created_idx ON public.property_status_changes USING btree (organization_id, property_id, created_at, id);

create table property_status_values (
  organization_id uuid not null,
  field text not null,
  value text not null,
  constraint property_status_values_pkey PRIMARY KEY (organization_id, field, value),
  constraint property_status_values_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint property_status_values_field_check CHECK ((field = ANY (ARRAY['readiness'::text, 'cleaning'::text, 'inspection'::text, 'maintenance'::text])))
);

create table reservations (
  organization_id uuid not null,
  id uuid not null,
  property_id uuid,
  property_group_id uuid,
  booking_source_id text,
  pms_provider text,
  external_reservation_id text,
  confirmation_code text,
  code_status text,
  status text,
  check_in timestamp(3) with time zone,
  check_out timestamp(3) with time zone,
  check_in_override timestamp(3) with time zone,
  check_out_override timestamp(3) with time zone,
  eta_check_in timestamp(3) with time zone,
  eta_check_out timestamp(3) with time zone,
  confirmed_at timestamp(3) with time zone,
  check_in_state text,
  occupancy_method text,
  guest_id uuid,
  guest_first_name text,
  guest_last_name text,
  guest_email text,
  guest_phone text,
  guest_count bigint,
  night_count integer,
  currency text,
  subtotal_cents bigint,
  total_fee_cents bigint,
  host_payout_cents bigint,
  payment_status text,
  verification_status text,
  verification_status_changed_at timestamp(3) with time zone,
  verification_status_changed_reason text,
  source_text text,
  is_auto_schedule_disabled boolean not null default false,
  is_returning boolean not null default false,
  portal_load_count integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  search_name text generated always as (search_name(((COALESCE(guest_first_name, ''::text) || ' '::text) || COALESCE(guest_last_name, ''::text)))) stored,
  search tsvector generated always as (search_vector(organization_id, ((((COALESCE(guest_first_name, ''::text) || ' '::text) || COALESCE(guest_last_name, ''::text)) || ' '::text) || COALESCE(confirmation_code, ''::text)))) stored,
  constraint reservations_pkey PRIMARY KEY (organization_id, id),
  constraint reservations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint reservations_organization_id_guest_id_fkey FOREIGN KEY (organization_id, guest_id) REFERENCES guests(organization_id, id),
  constraint reservations_organization_id_property_group_id_fkey FOREIGN KEY (organization_id, property_group_id) REFERENCES property_groups(organization_id, id),
  constraint reservations_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint reservations_check CHECK ((check_out > check_in)),
  constraint reservations_check_in_state_check CHECK ((check_in_state = ANY (ARRAY['not_checked_in'::text, 'checked_in'::text, 'checked_out'::text]))),
  constraint reservations_guest_count_check CHECK ((guest_count >= 0)),
  constraint reservations_occupancy_method_check CHECK ((occupancy_method = ANY (ARRAY['dashboard'::text, 'guest_portal'::text, 'smart_lock'::text, 'remote_control'::text, 'workflow_action'::text])))
);
CREATE INDEX reservations_guest_search ON public.reservations USING gin (organization_id, fold(((((COALESCE(guest_first_name, ''::text) || ' '::text) || COALESCE(guest_last_name, ''::text)) || ' '::text) || COALESCE(guest_email, ''::text))) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX reservations_organization_id_check_in_idx ON public.reservations USING btree (organization_id, check_in);
CREATE INDEX reservations_organization_id_check_in_state_created_at_id_idx ON public.reservations USING btree (organization_id, check_in_state, created_at, id);
CREATE INDEX reservations_organization_id_check_out_idx ON public.reservations USING btree (organization_id, check_out);
CREATE INDEX reservations_organization_id_confirmation_code_idx ON public.reservations USING btree (organization_id, confirmation_code);
CREATE INDEX reservations_organization_id_created_at_id_idx ON public.reservations USING btree (organization_id, created_at, id);
CREATE INDEX reservations_organization_id_external_reservation_id_idx ON public.reservations USING btree (organization_id, external_reservation_id);
CREATE INDEX reservations_organization_id_property_group_id_check_in_idx ON public.reservations USING btree (organization_id, property_group_id, check_in);
CREATE INDEX reservations_organization_id_property_id_check_in_idx ON public.reservations USING btree (organization_id, property_id, check_in);
CREATE INDEX reservations_organization_id_status_created_at_id_idx ON public.reservations USING btree (organization_id, status, created_at, id);
CREATE INDEX reservations_search ON public.reservations USING gin (organization_id, search) WITH (fastupdate=off);
CREATE INDEX reservations_search_name ON public.reservations USING btree (organization_id, search_name);

create table search_words (
  organization_id uuid not null,
  word text not null,
  variants text[] not null generated always as (search_variants(word, search_typos(word))) stored,
  constraint search_words_pkey PRIMARY KEY (organization_id, word),
  constraint search_words_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX search_words_variants ON public.search_words USING gin (organization_id, variants) WITH (fastupdate=off);

create table simulated_devices (
  organization_id uuid not null,
  integration_account_id uuid not null,
  external_id text not null,
  state jsonb not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint simulated_devices_pkey PRIMARY KEY (organization_id, integration_account_id, external_id),
  constraint simulated_devices_organization_id_integration_account_id_fkey FOREIGN KEY (organization_id, integration_account_id) REFERENCES integration_accounts(organization_id, id)
);

create table task_items (
  organization_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  checklist_item_id uuid,
  group_title text,
  description text,
  rank numeric not null,
  photo_required boolean not null default false,
  completed_at timestamp(3) with time zone,
  completed_by_user_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint task_items_pkey PRIMARY KEY (organization_id, id),
  constraint task_items_organization_id_completed_by_user_id_fkey FOREIGN KEY (organization_id, completed_by_user_id) REFERENCES members(organization_id, user_id),
  constraint task_items_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id)
);
CREATE INDEX task_items_organization_id_task_id_rank_id_idx ON public.task_items USING btree (organization_id, task_id, rank, id);

create table task_rates (
  organization_id uuid not null,
  id uuid not null,
  template_id uuid not null,
  property_id uuid,
  estimated_minutes numeric,
  cost_cents bigint,
  billable_cents bigint,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint task_rates_pkey PRIMARY KEY (organization_id, id),
  constraint task_rates_organization_id_template_id_property_id_key UNIQUE NULLS NOT DISTINCT (organization_id, template_id, property_id),
  constraint task_rates_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint task_rates_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES task_templates(organization_id, id),
  constraint task_rates_estimated_minutes_check CHECK ((estimated_minutes >= (0)::numeric))
);

create table task_template_groups (
  organization_id uuid not null,
  id uuid not null,
  template_id uuid not null,
  type text,
  title_text text,
  rank numeric,
  reference text,
  is_archived boolean not null default false,
  option_set_id uuid,
  parent_category_id uuid,
  target_category_id uuid,
  target_level text,
  photo_required boolean,
  photo_requirement text,
  photo_ai_verification_prompt_text text,
  user_created boolean,
  created_by_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint task_template_groups_pkey PRIMARY KEY (organization_id, id),
  constraint task_template_groups_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES task_templates(organization_id, id)
);
CREATE INDEX task_template_groups_organization_id_template_id_rank_creat_idx ON public.task_template_groups USING btree (organization_id, template_id, rank, created_at, id);

create table task_templates (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  name_text text,
  description text,
  description_text text,
  department_id uuid not null,
  priority text,
  permission_to_enter boolean,
  required_skill_id uuid,
  is_admin_template boolean,
  created_by_id uuid,
  deleted_at timestamp(3) with time zone,
  translation_coverage jsonb not null default '{}'::jsonb,
  translation_field_count integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint task_templates_pkey PRIMARY KEY (organization_id, id),
  constraint task_templates_organization_id_created_by_id_fkey FOREIGN KEY (organization_id, created_by_id) REFERENCES members(organization_id, user_id),
  constraint task_templates_organization_id_department_id_fkey FOREIGN KEY (organization_id, department_id) REFERENCES departments(organization_id, id),
  constraint task_templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint task_templates_priority_check CHECK ((priority = ANY (ARRAY['watch'::text, 'low'::text, 'medium'::text, 'high'::text, 'urgent'::text])))
);
CREATE INDEX task_templates_match ON public.task_templates USING btree (organization_id, department_id, lower(btrim(name)), created_at) WHERE (deleted_at IS NULL);
CREATE INDEX task_templates_organization_id_created_at_id_idx ON public.task_templates USING btree (organization_id, created_at, id);

create table tasks (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  department_id uuid not null,
  property_id uuid,
  property_group_id uuid,
  reservation_id uuid,
  template_id uuid,
  schedule_id uuid,
  required_skill_id uuid,
  assignee_user_id uuid,
  assigner_user_id uuid,
  completed_by_user_id uuid,
  created_by_id uuid,
  collaborators uuid[] not null default '{}'::uuid[],
  images text[] not null default '{}'::text[],
  due timestamp(3) with time zone,
  end_time timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  est_time numeric,
  financial_approval_status text,
  is_blocking boolean not null default false,
  is_recurring boolean not null default false,
  is_time_added boolean not null default false,
  permission_to_enter boolean not null default false,
  priority text,
  status text,
  type text,
  public_enabled boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  search_name text generated always as (search_name(name)) stored,
  search tsvector generated always as (search_vector(organization_id, name)) stored,
  constraint tasks_pkey PRIMARY KEY (organization_id, id),
  constraint tasks_organization_id_assignee_user_id_fkey FOREIGN KEY (organization_id, assignee_user_id) REFERENCES members(organization_id, user_id),
  constraint tasks_organization_id_assigner_user_id_fkey FOREIGN KEY (organization_id, assigner_user_id) REFERENCES members(organization_id, user_id),
  constraint tasks_organization_id_completed_by_user_id_fkey FOREIGN KEY (organization_id, completed_by_user_id) REFERENCES members(organization_id, user_id),
  constraint tasks_organization_id_created_by_id_fkey FOREIGN KEY (organization_id, created_by_id) REFERENCES members(organization_id, user_id),
  constraint tasks_organization_id_department_id_fkey FOREIGN KEY (organization_id, department_id) REFERENCES departments(organization_id, id),
  constraint tasks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint tasks_organization_id_property_group_id_fkey FOREIGN KEY (organization_id, property_group_id) REFERENCES property_groups(organization_id, id),
  constraint tasks_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint tasks_organization_id_reservation_id_fkey FOREIGN KEY (organization_id, reservation_id) REFERENCES reservations(organization_id, id),
  constraint tasks_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES task_templates(organization_id, id),
  constraint tasks_est_time_check CHECK ((est_time >= (0)::numeric)),
  constraint tasks_priority_check CHECK ((priority = ANY (ARRAY['watch'::text, 'low'::text, 'medium'::text, 'high'::text, 'urgent'::text]))),
  constraint tasks_status_check CHECK ((status = ANY (ARRAY['triage'::text, 'not_started'::text, 'in_progress'::text, 'paused'::text, 'completed'::text, 'cancelled'::text])))
);
CREATE INDEX tasks_active ON public.tasks USING btree (organization_id, department_id) WHERE ((deleted_at IS NULL) AND ((status IS NULL) OR (status <> ALL (ARRAY['completed'::text, 'cancelled'::text]))));
CREATE INDEX tasks_collaborators ON public.tasks USING gin (organization_id, collaborators) WITH (fastupdate=off);
CREATE INDEX tasks_name_search ON public.tasks USING gin (organization_id, fold(name) gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX tasks_organization_id_assignee_user_id_due_idx ON public.tasks USING btree (organization_id, assignee_user_id, due);
CREATE INDEX tasks_organization_id_created_at_id_idx ON public.tasks USING btree (organization_id, created_at, id);
CREATE INDEX tasks_organization_id_department_id_created_at_id_idx ON public.tasks USING btree (organization_id, department_id, created_at, id);
CREATE INDEX tasks_organization_id_due_idx ON public.tasks USING btree (organization_id, due);
CREATE INDEX tasks_organization_id_property_id_due_idx ON public.tasks USING btree (organization_id, property_id, due);
CREATE INDEX tasks_organization_id_reservation_id_idx ON public.tasks USING btree (organization_id, reservation_id);
CREATE INDEX tasks_organization_id_status_created_at_id_idx ON public.tasks USING btree (organization_id, status, created_at, id);
CREATE INDEX tasks_organization_id_template_id_idx ON public.tasks USING btree (organization_id, template_id);
CREATE INDEX tasks_search ON public.tasks USING gin (organization_id, search) WITH (fastupdate=off) WHERE (deleted_at IS NULL);
CREATE INDEX tasks_search_name ON public.tasks USING btree (organization_id, search_name) WHERE (deleted_at IS NULL);
CREATE INDEX tasks_undeleted ON public.tasks USING btree (organization_id, created_at, id) WHERE (deleted_at IS NULL);

create table time_entries (
  organization_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  type text not null default 'work'::text,
  start_time timestamp(3) with time zone not null,
  end_time timestamp(3) with time zone,
  duration_minutes integer,
  attributed_cost_cents bigint,
  attributed_billable_cents bigint,
  is_approved boolean,
  break_definition_id uuid,
  department_id uuid,
  property_id uuid,
  task_id uuid,
  notes text,
  is_auto_clocked_out boolean not null default false,
  edited_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint time_entries_pkey PRIMARY KEY (organization_id, id),
  constraint time_entries_organization_id_break_definition_id_fkey FOREIGN KEY (organization_id, break_definition_id) REFERENCES break_definitions(organization_id, id),
  constraint time_entries_organization_id_department_id_fkey FOREIGN KEY (organization_id, department_id) REFERENCES departments(organization_id, id),
  constraint time_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint time_entries_organization_id_member_id_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id),
  constraint time_entries_organization_id_property_id_fkey FOREIGN KEY (organization_id, property_id) REFERENCES properties(organization_id, id),
  constraint time_entries_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id),
  constraint time_entries_check CHECK ((end_time >= start_time)),
  constraint time_entries_check1 CHECK (((type = 'break'::text) = (break_definition_id IS NOT NULL))),
  constraint time_entries_check2 CHECK (((end_time IS NULL) = (duration_minutes IS NULL))),
  constraint time_entries_duration_minutes_check CHECK ((duration_minutes >= 0)),
  constraint time_entries_type_check CHECK ((type = ANY (ARRAY['work'::text, 'break'::text])))
);
CREATE INDEX time_entries_organization_id_created_at_id_idx ON public.time_entries USING btree (organization_id, created_at, id);
CREATE INDEX time_entries_organization_id_member_id_start_time_idx ON public.time_entries USING btree (organization_id, member_id, start_time);
CREATE INDEX time_entries_organization_id_start_time_idx ON public.time_entries USING btree (organization_id, start_time);
CREATE INDEX time_entries_organization_id_task_id_idx ON public.time_entries USING btree (organization_id, task_id);
CREATE INDEX time_entries_running ON public.time_entries USING btree (organization_id, member_id) WHERE (end_time IS NULL);

create table user_group_members (
  organization_id uuid not null,
  user_group_id uuid not null,
  member_id uuid not null,
  constraint user_group_members_pkey PRIMARY KEY (organization_id, user_group_id, member_id),
  constraint user_group_members_organization_id_member_id_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id),
  constraint user_group_members_organization_id_user_group_id_fkey FOREIGN KEY (organization_id, user_group_id) REFERENCES user_groups(organization_id, id)
);
CREATE INDEX user_group_members_organization_id_member_id_idx ON public.user_group_members USING btree (organization_id, member_id);

create table user_groups (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint user_groups_pkey PRIMARY KEY (organization_id, id),
  constraint user_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table users (
  id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (id)
);
