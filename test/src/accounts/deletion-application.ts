import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { User } from 'nest-oauth2';
import { OAuth2Server } from 'nest-oauth2/server';
import { ACCOUNTS } from '../../../src/accounts/accounts.js';
import type { PageBrowser } from '../pages/page-browser.js';
import { AccountApplication, sectionForm, UserTable } from './account-application.js';

export const ALICE = 'alice@example.com';

/** A users table whose users can be deleted. */
export class DeletableUsers extends UserTable {
  deleted: string[] = [];

  override async create(profile: { email: string; name?: string }) {
    const id = `user-${randomUUID()}`;
    this.rows.set(id, { id, ...profile });
    return this.findById(id);
  }

  delete({ id }: User) {
    this.deleted.push(String(id));
    this.rows.delete(String(id));
  }

  get only(): User {
    return [...this.rows.values()][0]!;
  }
}

type Start = NonNullable<Parameters<typeof AccountApplication.start<DeletableUsers>>[0]>;

/** Starts an application whose users can delete their account. */
export async function startDeletable({ options, users = new DeletableUsers(), ...more }: Start = {}) {
  const app = await AccountApplication.start({ ...more, users, options: { deletion: true, ...options } });
  return { app, users };
}

/** The deletions of the accounts of an application. */
export const deletionsOf = ({ nest }: AccountApplication) => nest.get(OAuth2Server).context.find(ACCOUNTS)!.deletions!;

/** Orders the deletion of the account on the account page. */
export async function orderDeletion(browser: PageBrowser, typed: Record<string, string> = { confirm: '1' }) {
  return browser.post('/oauth/account', { ...(await sectionForm(browser, 'data', 'delete')), ...typed });
}

/** Returns the unexpired content of the store as text. */
export async function contentOf({ model }: AccountApplication): Promise<string> {
  await model.prune();
  return inspect((model as unknown as { storage: object }).storage, {
    depth: Infinity,
    maxArrayLength: null,
    maxStringLength: null,
    showHidden: true,
  });
}
