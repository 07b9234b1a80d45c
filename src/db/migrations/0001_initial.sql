-- Up Migration

-- How the data is laid out:
--   * Every row lives under its organization: primary keys begin with organization_id, and foreign keys and
--     unique constraints include it. Global are only organizations, users (the id alone) and api_keys.
--   * Ids are UUID v7 made by the application. Times are timestamptz(3): what is stored is what JSON shows.
--   * Money is whole cents (bigint). A closed set of values is a check constraint; an open one is plain text.
--   * GIN indexes take new entries at once (fastupdate off): what waits in a pending list is scanned by every search.
--   * No triggers, no cascades into another noun: what a write does stands in the write.

do $$ begin
  if getdatabaseencoding() <> 'UTF8' or lower('É') <> 'é' then
    raise exception 'Steward needs a database with encoding UTF8 and a UTF-8 LC_CTYPE (create database … template template0 encoding ''UTF8'' locale ''C.UTF-8'')';
  end if;
end $$;

-- What the functions below keep as theirs: where this migration makes everything.
select set_config('search_path', current_schema(), true);

create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gin;

-- What every write of a name calls is in PL/pgSQL, whose expressions are planned once a connection; SQL functions are planned
-- at every call. Names of nothing but ASCII, which are most, take the shorter way. The search path is fixed: a restored dump
-- works the columns and indexes out with an empty one.

-- Case- and accent-insensitive form of a text, for matching only. unaccent is declared stable because its dictionary
-- could be edited; Steward never edits it, so an index may hold the result.
create function fold(value text) returns text
  language plpgsql immutable strict parallel safe set search_path from current as $$ begin
  if octet_length(value) = length(value) then return lower(value); end if;
  return translate(lower(unaccent('unaccent', normalize(value, NFKC))), 'ς', 'σ');
end $$;

-- ── Search ──────────────────────────────────────────────────────────────────────────────────────────────────────
-- Each searchable table keeps what it is found by in two generated columns: `search_name`, the folded name, and
-- `search`, the words of all its names. docs/decisions.md, "Search".

-- The words of a text, folded, with a space between: what stands between spaces and punctuation. Scripts that write no spaces
-- (ideographs, kana) and pictures are one word a character; what only joins or varies characters is left out.
create function search_text(value text) returns text
  language plpgsql immutable strict parallel safe set search_path from current as $$
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
end $$;

create function search_words_of(value text) returns text[]
  language sql immutable parallel safe
  return string_to_array(search_text(value), ' ');

-- Each word stands behind eight digits of its organization's id, so that looking for those that begin alike meets no other's.
create function search_vector(organization_id uuid, value text) returns tsvector
  language plpgsql immutable strict parallel safe set search_path from current as $$
declare place text := right(organization_id::text, 8);
begin
  return array_to_tsvector(array_remove(string_to_array(place || replace(search_text(value), ' ', ' ' || place), ' '), place));
end $$;

create function search_name(value text) returns text
  language plpgsql immutable strict parallel safe set search_path from current as $$ begin
  return left(btrim(fold(value)), 200);
end $$;

-- A word with up to `most` letters left out, the word itself among them. Two words that differ by as many typos share one
-- (Garbe, "symmetric delete").
create function search_variants(word text, most integer) returns text[]
  language sql immutable strict parallel safe
  return (with once as (
      select word as variant union all
      select left(word, i - 1) || substr(word, i + 1) from generate_series(1, length(word)) i where most >= 1),
    twice as (
      select variant from once union all
      select left(variant, i - 1) || substr(variant, i + 1) from once, generate_series(1, length(variant)) i where most >= 2)
    select array_agg(distinct variant) from twice);

-- How many typos a word forgives: one from 4 letters on, two from 8 on, none where it has digits.
create function search_typos(word text) returns integer
  language sql immutable parallel safe
  return case when word ~ '[0-9]' or length(word) not between 4 and 30 then 0 when length(word) < 8 then 1 else 2 end;

-- Whether search_words has the word: of words that begin with four letters it has all, so that what begins with four letters and
-- begins none of them begins nothing.
create function search_learns(word text) returns boolean
  language sql immutable parallel safe
  return length(word) >= 4 and left(word, 4) !~ '[0-9]';

create domain permission_list as text[] check (value <@ array[
  'view_dashboard', 'private_code', 'view_tasks', 'modify_tasks', 'delete_tasks', 'view_task_templates',
  'manage_task_templates', 'delete_task_templates', 'manage_task_rates', 'view_devices', 'control_device',
  'modify_devices', 'view_properties', 'modify_properties', 'delete_properties', 'view_reservations',
  'modify_reservations', 'view_guest_ids', 'view_guides', 'modify_guides', 'delete_guide', 'view_integration',
  'manage_integrations', 'account_admin', 'view_organization', 'manage_organization', 'view_users', 'manage_users',
  'delete_users', 'view_lock_code', 'manage_lock_code', 'view_staff_codes', 'view_event', 'manage_event',
  'view_analytics', 'view_logs', 'view_workflows', 'manage_workflows', 'delete_workflows', 'view_payments',
  'manage_payments', 'view_inbox', 'manage_inbox', 'view_booking_engine', 'manage_booking_engine', 'view_shifts',
  'manage_shifts', 'approve_time_entries', 'manage_message_templates'
]);

-- ── Global ──────────────────────────────────────────────────────────────────────────────────────────────────────

create table organizations (
  id uuid primary key,
  name text not null,
  slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  region text not null default 'local',
  timezone text,
  -- How many devices there are: counting them took half the time of their list. Whoever inserts or deletes devices keeps it.
  device_count integer not null default 0 check (device_count >= 0),
  created_at timestamptz(3) not null default now()
);

-- A person across organizations: nothing but the id. Name, e-mail and avatar belong to the member.
create table users (
  id uuid primary key,
  created_at timestamptz(3) not null default now()
);

-- Found by digest before the organization is known, so it is global and holds no foreign key into an organization's rows.
create table api_keys (
  id uuid primary key,
  digest bytea not null unique check (length(digest) = 32),
  organization_id uuid not null references organizations (id),
  member_id uuid not null,
  name text,
  permissions permission_list not null,
  rate_limit integer check (rate_limit > 0),
  default_property_id uuid,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index on api_keys (organization_id, member_id);
create index on api_keys (organization_id, created_at, id);

-- ── People ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- Invited: joined_at and deactivated_at are null. Active: joined, not deactivated. Inactive: deactivated.
create table members (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  user_id uuid not null references users (id),
  first_name text,
  last_name text,
  email text,
  avatar_url text,
  member_type text not null default 'internal' check (member_type in ('internal', 'external')),
  role text not null check (role in
    ('owner', 'admin', 'manager', 'field_supervisor', 'field_team_member', 'member', 'viewer', 'custom')),
  permissions permission_list not null default '{}',
  hourly_cost_cents bigint,
  hourly_billable_cents bigint,
  invited_at timestamptz(3),
  joined_at timestamptz(3),
  deactivated_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search_name text collate "C" generated always as (search_name(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) stored,
  search tsvector generated always as (search_vector(organization_id, coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' || coalesce(email, ''))) stored,
  primary key (organization_id, id),
  unique (organization_id, user_id)
);
create index members_search on members using gin (organization_id, search) with (fastupdate = off);
create index members_search_name on members (organization_id, search_name);
create unique index members_email on members (organization_id, lower(email));
create index on members (organization_id, created_at, id);
create index on members (organization_id, role);
create index members_name_search on members using gin
  (organization_id, fold(coalesce(first_name, '') || ' ' || coalesce(last_name, '')) gin_trgm_ops) with (fastupdate = off);
create index members_email_search on members using gin (organization_id, fold(coalesce(email, '')) gin_trgm_ops)
  with (fastupdate = off);

create table user_groups (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);

create table user_group_members (
  organization_id uuid not null,
  user_group_id uuid not null,
  member_id uuid not null,
  primary key (organization_id, user_group_id, member_id),
  foreign key (organization_id, user_group_id) references user_groups (organization_id, id),
  foreign key (organization_id, member_id) references members (organization_id, id)
);
create index on user_group_members (organization_id, member_id);

create table departments (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text,
  description text,
  category text check (category in ('cleans', 'maintenance', 'inspections', 'guest_experience', 'other')),
  color text,
  is_maintenance boolean,
  auto_assign_enabled boolean,
  assignment_method text,
  backup_assignment_method text,
  blocking_priority text check (blocking_priority in ('watch', 'low', 'medium', 'high', 'urgent')),
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index on departments (organization_id, created_at, id);
create index on departments (organization_id, category);

-- A department's name and description in another language. What is missing falls back to the department's own text.
create table department_translations (
  organization_id uuid not null,
  department_id uuid not null,
  language text not null check (language in
    ('en', 'es', 'fr', 'nl', 'de', 'zh', 'ar', 'it', 'bg', 'ja', 'pt', 'el', 'cs', 'he')),
  name text,
  description text,
  primary key (organization_id, department_id, language),
  foreign key (organization_id, department_id) references departments (organization_id, id)
);

create table department_members (
  organization_id uuid not null,
  department_id uuid not null,
  member_id uuid not null,
  is_manager boolean not null default false,
  primary key (organization_id, department_id, member_id),
  foreign key (organization_id, department_id) references departments (organization_id, id),
  foreign key (organization_id, member_id) references members (organization_id, id)
);
create index on department_members (organization_id, member_id, department_id);

-- ── Places ──────────────────────────────────────────────────────────────────────────────────────────────────────

create table property_groups (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  timezone text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search_name text collate "C" generated always as (search_name(name)) stored,
  search tsvector generated always as (search_vector(organization_id, name)) stored,
  primary key (organization_id, id)
);
create index property_groups_search on property_groups using gin (organization_id, search) with (fastupdate = off);
create index property_groups_search_name on property_groups (organization_id, search_name);
create index on property_groups (organization_id, created_at, id);

-- Which property groups a member may work in. A member without a row here may work in all of them.
create table member_property_groups (
  organization_id uuid not null,
  member_id uuid not null,
  property_group_id uuid not null,
  primary key (organization_id, member_id, property_group_id),
  foreign key (organization_id, member_id) references members (organization_id, id),
  foreign key (organization_id, property_group_id) references property_groups (organization_id, id)
);
create index on member_property_groups (organization_id, property_group_id, member_id);

create table portals (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text,
  is_default boolean not null default false,
  support_email text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index on portals (organization_id, created_at, id);
create unique index portals_one_default on portals (organization_id) where is_default;

create table properties (
  organization_id uuid not null references organizations (id),
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
  latitude numeric check (latitude between -90 and 90),
  longitude numeric check (longitude between -180 and 180),
  timezone text,
  cover_image_url text,
  wifi_name text,
  internal_access_notes text,
  code_display text,
  group_code_display text,
  review_request_url text,
  review_request_overrides jsonb not null default '{}',
  average_rating numeric,
  bathroom_count numeric,
  bed_count integer,
  bedroom_count integer,
  max_guests integer,
  default_check_in_hour integer check (default_check_in_hour between 0 and 23),
  default_check_out_hour integer check (default_check_out_hour between 0 and 23),
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
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search_name text collate "C" generated always as (search_name(coalesce(name, nickname, ''))) stored,
  search tsvector generated always as (search_vector(organization_id, coalesce(name, '') || ' ' || coalesce(nickname, ''))) stored,
  primary key (organization_id, id),
  foreign key (organization_id, property_group_id) references property_groups (organization_id, id),
  foreign key (organization_id, portal_settings_id) references portals (organization_id, id)
);
create index properties_search on properties using gin (organization_id, search) with (fastupdate = off);
create index properties_search_name on properties (organization_id, search_name);
create index on properties (organization_id, created_at, id);
create index on properties (organization_id, property_group_id, created_at, id);
create index properties_name_search on properties using gin
  (organization_id, fold(coalesce(name, '') || ' ' || coalesce(nickname, '')) gin_trgm_ops) with (fastupdate = off);

-- An organization's own additions to the vocabularies of the four property status fields.
create table property_status_values (
  organization_id uuid not null references organizations (id),
  field text not null check (field in ('readiness', 'cleaning', 'inspection', 'maintenance')),
  value text not null,
  primary key (organization_id, field, value)
);

-- ── Devices ─────────────────────────────────────────────────────────────────────────────────────────────────────

create table integration_accounts (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  provider text not null check (provider in ('seam', 'zigbee2mqtt', 'home_assistant', 'simulated', 'manual')),
  name text,
  credentials bytea,
  last_synced_at timestamptz(3),
  -- When a node may poll it again: whoever takes it moves this ahead, so that all nodes keep one pace.
  next_poll_at timestamptz(3) not null default now(),
  -- How often polling failed since it last succeeded, and why.
  poll_failures integer not null default 0 check (poll_failures >= 0),
  last_polled_at timestamptz(3),
  last_poll_error text,
  -- The node that stores what the provider tells by itself: the one that polled last.
  watched_by uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index on integration_accounts (next_poll_at);
create index on integration_accounts (watched_by) where watched_by is not null;

create table devices (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  integration_account_id uuid,
  external_id text,
  name text,
  type text check (type in
    ('lock', 'thermostat', 'sensor', 'door_window_sensor', 'sound_system', 'hub', 'light', 'camera', 'repeater')),
  ecosystem text check (ecosystem in
    ('seam', 'zigbee', 'zwave', 'matter', 'smartthings', 'august', 'yale', 'schlage', 'nuki', 'ttlock', 'ecobee', 'minut')),
  provider text check (provider in ('seam', 'zigbee2mqtt', 'home_assistant', 'simulated', 'manual')),
  online boolean,
  battery_level numeric check (battery_level between 0 and 100),
  battery_updated_at timestamptz(3),
  health_check timestamptz(3),
  device_state jsonb,
  is_archived boolean not null default false,
  enable_remote_controls boolean not null default true,
  -- The name that the provider last gave: the device's own follows it while the two are equal.
  provider_name text,
  -- A sync that no longer saw the device archived it, so one that sees it again takes it back.
  archived_by_sync boolean not null default false,
  -- Whether the last sync saw it. A sync archives what is no longer listed once: after that a person decides, until it is listed again.
  is_listed boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search_name text collate "C" generated always as (search_name(coalesce(name, ''))) stored,
  search tsvector generated always as (search_vector(organization_id, coalesce(name, ''))) stored,
  primary key (organization_id, id),
  unique (organization_id, integration_account_id, external_id),
  foreign key (organization_id, integration_account_id) references integration_accounts (organization_id, id)
);
create index devices_search on devices using gin (organization_id, search) with (fastupdate = off);
create index devices_search_name on devices (organization_id, search_name);
create index on devices (organization_id, created_at, id);
create index on devices (organization_id, type, created_at, id);
create index on devices (organization_id, ecosystem, created_at, id);
create index on devices (organization_id, provider, created_at, id);
create index on devices (organization_id, is_archived, created_at, id);
create index on devices (organization_id, integration_account_id, created_at, id);
create index on devices (organization_id, online, created_at, id);
create index on devices (organization_id, battery_level);
create index devices_name_search on devices using gin (organization_id, fold(coalesce(name, '')) gin_trgm_ops)
  with (fastupdate = off);

create table device_properties (
  organization_id uuid not null,
  device_id uuid not null,
  property_id uuid not null,
  primary key (organization_id, device_id, property_id),
  foreign key (organization_id, device_id) references devices (organization_id, id),
  foreign key (organization_id, property_id) references properties (organization_id, id)
);
create index on device_properties (organization_id, property_id, device_id);

-- A command to a device: stored before it is sent, so that whatever crashes, what was asked for and what became of it is known.
create table device_commands (
  organization_id uuid not null,
  id uuid not null,
  device_id uuid not null,
  kind text not null check (kind in ('lock', 'unlock', 'refresh')),
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
  external_ref text,
  error_code text,
  error_message text,
  -- What the lock was seen to be when the command ended.
  observed_lock_state text check (observed_lock_state in ('locked', 'unlocked', 'jammed', 'unknown')),
  api_key_id uuid,
  member_id uuid,
  -- Stored before it is sent: a command without it was never sent, one with it may have been.
  sent_at timestamptz(3),
  finished_at timestamptz(3),
  -- How often its end was looked for, and when a node may look again: until then another one does, or its request.
  checks integer not null default 0,
  check_after timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, device_id) references devices (organization_id, id)
);
create index on device_commands (organization_id, device_id, created_at, id);
create index device_commands_unfinished on device_commands (state, check_after) where state = 'pending';
-- A lock makes one movement at a time.
create unique index device_commands_moving on device_commands (organization_id, device_id)
  where state = 'pending' and kind <> 'refresh';

-- The world of the simulated provider: a device without a row is still as its row of devices says.
create table simulated_devices (
  organization_id uuid not null,
  integration_account_id uuid not null,
  external_id text not null,
  state jsonb not null,
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, integration_account_id, external_id),
  foreign key (organization_id, integration_account_id) references integration_accounts (organization_id, id)
);

-- ── Stays ───────────────────────────────────────────────────────────────────────────────────────────────────────

create table guests (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  first_name text,
  last_name text,
  email text,
  phone text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);

create table reservations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  property_id uuid,
  property_group_id uuid,
  booking_source_id text,
  pms_provider text,
  external_reservation_id text,
  confirmation_code text,
  code_status text,
  status text,
  check_in timestamptz(3),
  check_out timestamptz(3),
  check_in_override timestamptz(3),
  check_out_override timestamptz(3),
  eta_check_in timestamptz(3),
  eta_check_out timestamptz(3),
  confirmed_at timestamptz(3),
  check_in_state text check (check_in_state in ('not_checked_in', 'checked_in', 'checked_out')),
  occupancy_method text check (occupancy_method in
    ('dashboard', 'guest_portal', 'smart_lock', 'remote_control', 'workflow_action')),
  guest_id uuid,
  guest_first_name text,
  guest_last_name text,
  guest_email text,
  guest_phone text,
  guest_count bigint check (guest_count >= 0),
  night_count integer,
  currency text,
  subtotal_cents bigint,
  total_fee_cents bigint,
  host_payout_cents bigint,
  payment_status text,
  verification_status text,
  verification_status_changed_at timestamptz(3),
  verification_status_changed_reason text,
  source_text text,
  is_auto_schedule_disabled boolean not null default false,
  is_returning boolean not null default false,
  portal_load_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search_name text collate "C" generated always as (search_name(coalesce(guest_first_name, '') || ' ' || coalesce(guest_last_name, ''))) stored,
  search tsvector generated always as (search_vector(organization_id, coalesce(guest_first_name, '') || ' ' || coalesce(guest_last_name, '') || ' ' || coalesce(confirmation_code, ''))) stored,
  primary key (organization_id, id),
  check (check_out > check_in),
  foreign key (organization_id, property_id) references properties (organization_id, id),
  foreign key (organization_id, property_group_id) references property_groups (organization_id, id),
  foreign key (organization_id, guest_id) references guests (organization_id, id)
);
create index reservations_search on reservations using gin (organization_id, search) with (fastupdate = off);
create index reservations_search_name on reservations (organization_id, search_name);
create index on reservations (organization_id, created_at, id);
create index on reservations (organization_id, property_id, check_in);
create index on reservations (organization_id, property_group_id, check_in);
create index on reservations (organization_id, check_in);
create index on reservations (organization_id, check_out);
create index on reservations (organization_id, status, created_at, id);
create index on reservations (organization_id, check_in_state, created_at, id);
create index on reservations (organization_id, confirmation_code);
create index on reservations (organization_id, external_reservation_id);
create index reservations_guest_search on reservations using gin (organization_id,
  fold(coalesce(guest_first_name, '') || ' ' || coalesce(guest_last_name, '') || ' ' || coalesce(guest_email, '')) gin_trgm_ops)
  with (fastupdate = off);

-- ── Task templates ──────────────────────────────────────────────────────────────────────────────────────────────

create table task_templates (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  name_text text,
  description text,
  description_text text,
  department_id uuid not null,
  priority text check (priority in ('watch', 'low', 'medium', 'high', 'urgent')),
  permission_to_enter boolean,
  required_skill_id uuid,
  is_admin_template boolean,
  created_by_id uuid,
  deleted_at timestamptz(3),
  translation_coverage jsonb not null default '{}',
  translation_field_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, department_id) references departments (organization_id, id),
  foreign key (organization_id, created_by_id) references members (organization_id, user_id)
);
create index on task_templates (organization_id, created_at, id);
-- A task finds its template by department and name, ignoring case and surrounding space; the newest wins.
create index task_templates_match on task_templates (organization_id, department_id, lower(btrim(name)), created_at)
  where deleted_at is null;

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
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, template_id) references task_templates (organization_id, id)
);
create index on task_template_groups (organization_id, template_id, rank, created_at, id);

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
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, group_id) references task_template_groups (organization_id, id),
  foreign key (organization_id, template_id) references task_templates (organization_id, id)
);
create index on checklist_items (organization_id, template_id);
create index on checklist_items (organization_id, group_id, rank, created_at, id);

-- What a template's task is expected to take and cost, for every property or for one.
create table task_rates (
  organization_id uuid not null,
  id uuid not null,
  template_id uuid not null,
  property_id uuid,
  estimated_minutes numeric check (estimated_minutes >= 0),
  cost_cents bigint,
  billable_cents bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique nulls not distinct (organization_id, template_id, property_id),
  foreign key (organization_id, template_id) references task_templates (organization_id, id),
  foreign key (organization_id, property_id) references properties (organization_id, id)
);

-- ── Tasks ───────────────────────────────────────────────────────────────────────────────────────────────────────

create table tasks (
  organization_id uuid not null references organizations (id),
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
  collaborators uuid[] not null default '{}',
  images text[] not null default '{}',
  due timestamptz(3),
  end_time timestamptz(3),
  completed_at timestamptz(3),
  deleted_at timestamptz(3),
  est_time numeric check (est_time >= 0),
  financial_approval_status text,
  is_blocking boolean not null default false,
  is_recurring boolean not null default false,
  is_time_added boolean not null default false,
  permission_to_enter boolean not null default false,
  priority text check (priority in ('watch', 'low', 'medium', 'high', 'urgent')),
  status text check (status in ('triage', 'not_started', 'in_progress', 'paused', 'completed', 'cancelled')),
  type text,
  public_enabled boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search_name text collate "C" generated always as (search_name(name)) stored,
  search tsvector generated always as (search_vector(organization_id, name)) stored,
  primary key (organization_id, id),
  foreign key (organization_id, department_id) references departments (organization_id, id),
  foreign key (organization_id, property_id) references properties (organization_id, id),
  foreign key (organization_id, property_group_id) references property_groups (organization_id, id),
  foreign key (organization_id, reservation_id) references reservations (organization_id, id),
  foreign key (organization_id, template_id) references task_templates (organization_id, id),
  foreign key (organization_id, assignee_user_id) references members (organization_id, user_id),
  foreign key (organization_id, assigner_user_id) references members (organization_id, user_id),
  foreign key (organization_id, completed_by_user_id) references members (organization_id, user_id),
  foreign key (organization_id, created_by_id) references members (organization_id, user_id)
);
create index tasks_search on tasks using gin (organization_id, search) with (fastupdate = off)
  where deleted_at is null;
create index tasks_search_name on tasks (organization_id, search_name)
  where deleted_at is null;
create index on tasks (organization_id, created_at, id);
create index on tasks (organization_id, property_id, due);
create index on tasks (organization_id, department_id, created_at, id);
create index on tasks (organization_id, assignee_user_id, due);
create index on tasks (organization_id, status, created_at, id);
create index on tasks (organization_id, due);
create index on tasks (organization_id, reservation_id);
create index on tasks (organization_id, template_id);
-- The list as most ask for it: without what was deleted.
create index tasks_undeleted on tasks (organization_id, created_at, id) where deleted_at is null;
create index tasks_name_search on tasks using gin (organization_id, fold(name) gin_trgm_ops) with (fastupdate = off);
create index tasks_collaborators on tasks using gin (organization_id, collaborators) with (fastupdate = off);
create index tasks_active on tasks (organization_id, department_id)
  where deleted_at is null and (status is null or status not in ('completed', 'cancelled'));

create table task_items (
  organization_id uuid not null,
  id uuid not null,
  task_id uuid not null,
  checklist_item_id uuid,
  group_title text,
  description text,
  rank numeric not null,
  photo_required boolean not null default false,
  completed_at timestamptz(3),
  completed_by_user_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, task_id) references tasks (organization_id, id),
  foreign key (organization_id, completed_by_user_id) references members (organization_id, user_id)
);
create index on task_items (organization_id, task_id, rank, id);

-- ── Alerts ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- What is amiss with a device, from when to when. It opens and closes by what is seen of the device: docs/alerts.md.
create table device_alerts (
  organization_id uuid not null,
  id uuid not null,
  device_id uuid not null,
  kind text not null check (kind in ('offline', 'low_battery', 'jammed', 'stale')),
  opened_at timestamptz(3) not null,
  closed_at timestamptz(3) check (closed_at >= opened_at),
  acknowledged_at timestamptz(3),
  acknowledged_by_member_id uuid,
  -- What was known of the device when it opened.
  battery_level numeric,
  observed_at timestamptz(3),
  message text,
  task_id uuid,
  -- Why there is no task although a rule asks for one.
  task_problem text check (task_problem in ('no_template', 'no_department')),
  primary key (organization_id, id),
  foreign key (organization_id, device_id) references devices (organization_id, id),
  foreign key (organization_id, acknowledged_by_member_id) references members (organization_id, id),
  foreign key (organization_id, task_id) references tasks (organization_id, id)
);
-- One open alert of a kind for a device, whoever saw it first.
create unique index device_alerts_open on device_alerts (organization_id, device_id, kind) where closed_at is null;
create index on device_alerts (organization_id, opened_at, id);
create index on device_alerts (organization_id, device_id, opened_at, id);

-- Which alerts make a task, and from which template.
create table device_alert_rules (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  kind text not null check (kind in ('offline', 'low_battery', 'jammed', 'stale')),
  task_template_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, kind),
  foreign key (organization_id, task_template_id) references task_templates (organization_id, id)
);

-- ── Time and cost ───────────────────────────────────────────────────────────────────────────────────────────────

create table break_definitions (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  is_paid boolean not null,
  duration_minutes integer check (duration_minutes >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);

-- A running entry has no end and no minutes. is_approved null is pending.
create table time_entries (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  member_id uuid not null,
  type text not null default 'work' check (type in ('work', 'break')),
  start_time timestamptz(3) not null,
  end_time timestamptz(3),
  duration_minutes integer check (duration_minutes >= 0),
  attributed_cost_cents bigint,
  attributed_billable_cents bigint,
  is_approved boolean,
  break_definition_id uuid,
  department_id uuid,
  property_id uuid,
  task_id uuid,
  notes text,
  is_auto_clocked_out boolean not null default false,
  edited_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check (end_time >= start_time),
  check ((type = 'break') = (break_definition_id is not null)),
  check ((end_time is null) = (duration_minutes is null)),
  foreign key (organization_id, member_id) references members (organization_id, id),
  foreign key (organization_id, break_definition_id) references break_definitions (organization_id, id),
  foreign key (organization_id, department_id) references departments (organization_id, id),
  foreign key (organization_id, property_id) references properties (organization_id, id),
  foreign key (organization_id, task_id) references tasks (organization_id, id)
);
create index on time_entries (organization_id, created_at, id);
create index on time_entries (organization_id, start_time);
create index on time_entries (organization_id, member_id, start_time);
create index on time_entries (organization_id, task_id);
create index time_entries_running on time_entries (organization_id, member_id) where end_time is null;

-- A material, expense or other cost. Without a member it belongs to nobody's row; without a time entry it is an orphan cost.
create table cost_items (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  member_id uuid,
  time_entry_id uuid,
  cost_type text not null check (cost_type in ('material', 'expense', 'other')),
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
  incurred_at timestamptz(3) not null,
  edited_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, member_id) references members (organization_id, id),
  foreign key (organization_id, time_entry_id) references time_entries (organization_id, id),
  foreign key (organization_id, department_id) references departments (organization_id, id),
  foreign key (organization_id, property_id) references properties (organization_id, id),
  foreign key (organization_id, task_id) references tasks (organization_id, id)
);
create index on cost_items (organization_id, created_at, id);
create index on cost_items (organization_id, incurred_at);
create index on cost_items (organization_id, member_id, incurred_at);
create index on cost_items (organization_id, task_id);

-- The rows of GET /costs of a local day or week that is over, as JSON: made by the worker, deleted by whoever changes what they
-- tell of (src/api/costs/kept.ts).
create table kept_costs (
  organization_id uuid not null references organizations (id),
  starts timestamptz(3) not null,
  ends timestamptz(3) not null,
  group_by text not null check (group_by in ('day', 'week')),
  zone text not null,
  rows text not null,
  pending_rows text not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, starts, group_by, zone)
);
-- Unpacked in a third of the time, where this PostgreSQL was built with it.
do $$ begin
  alter table kept_costs alter column rows set compression lz4, alter column pending_rows set compression lz4;
exception when feature_not_supported then null;
end $$;

-- ── Guest instructions ──────────────────────────────────────────────────────────────────────────────────────────

-- A step's scope is its property or its property group. The steps of a scope are numbered 0…n-1; the constraints are
-- deferred so that renumbering may pass through doubles before it commits.
create table instructions (
  organization_id uuid not null references organizations (id),
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
  sort_order integer not null check (sort_order >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check (num_nonnulls(property_id, property_group_id) = 1),
  unique (organization_id, property_id, sort_order) deferrable initially deferred,
  unique (organization_id, property_group_id, sort_order) deferrable initially deferred,
  foreign key (organization_id, property_id) references properties (organization_id, id),
  foreign key (organization_id, property_group_id) references property_groups (organization_id, id),
  foreign key (organization_id, device_id) references devices (organization_id, id)
);
create index on instructions (organization_id, created_at, id);

-- ── What happened ───────────────────────────────────────────────────────────────────────────────────────────────

create table property_status_changes (
  organization_id uuid not null,
  id uuid not null,
  property_id uuid not null,
  field text not null check (field in ('readiness', 'cleaning', 'inspection', 'maintenance')),
  value text,
  previous_value text,
  trigger text not null,
  reservation_id uuid,
  member_id uuid,
  request_id text,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, property_id) references properties (organization_id, id),
  foreign key (organization_id, reservation_id) references reservations (organization_id, id)
);
create index on property_status_changes (organization_id, property_id, created_at, id);

create table events (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  member_id uuid,
  api_key_id uuid,
  request_id text,
  idempotency_key text,
  changes jsonb not null default '{}',
  -- Ids are made before transactions commit, and not in that order. A reader that follows along goes by transaction.
  transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index on events (organization_id, transaction_id, id);
create index on events (organization_id, entity_type, entity_id, id);
create index on events (organization_id, type, id);
create index on events (organization_id, created_at, id);

-- The words that an organization's names were ever written with, as far as they forgive typos: where to look for what was meant.
create table search_words (
  organization_id uuid not null references organizations (id),
  word text collate "C" not null,
  variants text[] not null generated always as (search_variants(word, search_typos(word))) stored,
  primary key (organization_id, word)
);
create index search_words_variants on search_words using gin (organization_id, variants) with (fastupdate = off);

-- The stored outcome of a request that carried an Idempotency-Key, under the digest of API key, method, path and key.
create table idempotency_records (
  organization_id uuid not null references organizations (id),
  scope_digest bytea not null,
  body_digest bytea not null,
  request_id text not null,
  status smallint,
  body text,
  command_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, scope_digest)
);
create index on idempotency_records (created_at);
