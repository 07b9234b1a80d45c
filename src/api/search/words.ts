import type { Trx } from '../../db/db.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Learns the words of names, so that a search with a typo finds them: to be called by whatever writes a name, in its transaction. */
export function learnWords(trx: Trx, organizationId: string, ...names: readonly (string | null | undefined)[]): void {
  // It need not be awaited: what fails here fails the transaction.
  void trx.run(learn(organizationId, sql`select search_words_of(${names.filter(Boolean).join(' ')}) as words`)).catch(() => {})
}

/** Learns every name of the organization: after an import. */
export const learningAll = (organizationId: string): Sql =>
  learn(
    organizationId,
    sql`
      select search_words_of(concat_ws(' ', first_name, last_name, email)) as words from members where organization_id = ${organizationId}
      union all select search_words_of(name) from property_groups where organization_id = ${organizationId}
      union all select search_words_of(concat_ws(' ', name, nickname)) from properties where organization_id = ${organizationId}
      union all select search_words_of(concat_ws(' ', guest_first_name, guest_last_name, confirmation_code)) from reservations
        where organization_id = ${organizationId}
      union all select search_words_of(name) from devices where organization_id = ${organizationId} and name is not null
      union all select search_words_of(name) from tasks where organization_id = ${organizationId}`,
  )

/**
 * The statement that learns `lists`, rows of `words`. What is known is passed over first: a word that is inserted in vain costs
 * its variants. In order of the word, so that transactions which learn the same words do not deadlock.
 */
export const learn = (organizationId: string, lists: Sql): Sql => sql`
  insert into search_words (organization_id, word)
  select distinct ${organizationId}::uuid, new.word from (${lists}) lists, unnest(words) new (word) where search_learns(new.word)
    and not exists (select from search_words known where known.organization_id = ${organizationId} and known.word = new.word)
  order by new.word
  on conflict do nothing`
