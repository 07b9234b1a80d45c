type Query = (text: string) => Promise<{ rows: object[] }>

/**
 * The whole schema as SQL-like text in a stable order, read from the catalog: what the migrations add up to, in a form whose
 * changes can be reviewed. Spelling of expressions is PostgreSQL's own, so texts of different major versions may differ.
 */
export async function describeSchema(query: Query): Promise<string> {
  const read = rowsOf(query)
  const extensions = await read<{ line: string }>(`
    select format('create extension %I;', extname) as line from pg_extension where extname <> 'plpgsql' order by extname collate "C"`)
  const domains = await read<{ name: string; type: string; checks: string[] }>(`
    select t.typname as name, format_type(t.typbasetype, t.typtypmod) as type,
      array(select pg_get_constraintdef(c.oid) from pg_constraint c where c.contypid = t.oid and c.contype = 'c' order by 1) as checks
    from pg_type t where t.typtype = 'd' and ${ours('t.typnamespace', 't.oid', 'pg_type')} order by t.typname collate "C"`)
  const functions = await read<{ definition: string }>(`
    select pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.prokind in ('f', 'p') and ${ours('p.pronamespace', 'p.oid', 'pg_proc')}
    order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`)
  const tables = await describeTables(query)
  const views = await read<{ name: string; definition: string }>(`
    select c.relname as name, pg_get_viewdef(c.oid) as definition from pg_class c
    where c.relkind in ('v', 'm') and ${ours('c.relnamespace', 'c.oid', 'pg_class')} order by c.relname collate "C"`)
  const triggers = await read<{ definition: string }>(`
    select pg_get_triggerdef(t.oid) as definition from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and ${ours('c.relnamespace', 'c.oid', 'pg_class')}
    order by c.relname collate "C", t.tgname collate "C"`)
  return `${[
    ...(extensions.length > 0 ? [extensions.map(({ line }) => line).join('\n')] : []),
    ...domains.map(({ name, type, checks }) => `${[`create domain ${name} as ${type}`, ...checks].join('\n  ')};`),
    ...functions.map(({ definition }) => `${definition.trim()};`),
    ...tables,
    ...views.map(({ name, definition }) => `create view ${name} as\n${definition.trim()}`),
    ...triggers.map(({ definition }) => `${definition};`),
  ].join('\n\n')}\n`
}

/** In the schema public, and not brought by an extension. */
const ours = (namespace: string, oid: string, catalog: string) => `${namespace} = 'public'::regnamespace
  and not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

const rowsOf =
  (query: Query) =>
  async <Row extends object>(text: string): Promise<Row[]> =>
    (await query(text)).rows as Row[]

type Column = {
  table: string
  name: string
  type: string
  required: boolean
  value: string | null
  generated: string
  identity: string
}

async function describeTables(query: Query): Promise<string[]> {
  const read = rowsOf(query)
  const tables = await read<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and ${ours('c.relnamespace', 'c.oid', 'pg_class')} order by c.relname collate "C"`)
  const columns = await read<Column>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
      pg_get_expr(d.adbin, d.adrelid) as value, a.attgenerated as generated, a.attidentity as identity
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped order by a.attnum`)
  // Not null is said with the column; PostgreSQL 18 lists it as a constraint too.
  const constraints = await read<{ table: string; definition: string }>(`
    select c.relname as table, format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid and c.relnamespace = 'public'::regnamespace
    where k.contype in ('p', 'u', 'f', 'c', 'x') order by array_position('{p,u,f,c,x}', k.contype::text), k.conname collate "C"`)
  const indexes = await read<{ table: string; definition: string }>(`
    select c.relname as table, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
    join pg_class x on x.oid = i.indexrelid
    where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    order by x.relname collate "C"`)
  const of = <Row extends { table: string }>(rows: Row[], name: string) => rows.filter(({ table }) => table === name)
  return tables.map(({ name }) => {
    const lines = [...of(columns, name).map(columnLine), ...of(constraints, name).map(({ definition }) => definition)]
    const table = `create table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`
    return [table, ...of(indexes, name).map(({ definition }) => `${definition};`)].join('\n')
  })
}

function columnLine({ name, type, required, value, generated, identity }: Column): string {
  return [
    `${name} ${type}`,
    ...(required ? ['not null'] : []),
    ...(identity ? [`generated ${identity === 'a' ? 'always' : 'by default'} as identity`] : []),
    ...(value !== null
      ? [generated ? `generated always as (${value})${generated === 's' ? ' stored' : ''}` : `default ${value}`]
      : []),
  ].join(' ')
}
