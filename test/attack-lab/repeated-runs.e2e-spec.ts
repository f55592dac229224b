import { afterEach, describe, expect, it } from '@jest/globals';
import { type AttackLabOptions, attackLab, type AttackReport } from 'nest-oauth2/testing';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';
import { productApplication } from './product-application.js';
import { SIGN_IN, weakModule, WeakStore } from './weak-application.js';

const OPTIONS: AttackLabOptions = { signIn: SIGN_IN, guarded: '/notes', pages: ['/settings'], callers: 4 };
const TIMEOUT = 300_000;
const [platform] = ANY_PLATFORM;

afterEach(stopApplications);

const verdictsOf = ({ results }: AttackReport) => results.map(({ id, verdict }) => `${id}: ${verdict}`);

/** Starts an application whose store has the data of `shared`, as another process would. */
async function startProcess(shared: WeakStore, options: AttackLabOptions) {
  const { app } = await startApplication(
    platform!,
    weakModule({ options: { model: Object.create(shared) as WeakStore } }),
  );
  const ids: string[] = [];
  const clients = {
    create: async (client: Parameters<MemoryStore['createClient']>[0]) => {
      ids.push(client.id);
      await shared.createClient(client);
    },
    remove: (id: string) => shared.removeClient(id),
  };
  const report = await attackLab(app, { ...OPTIONS, ...options, clients });
  return { verdicts: verdictsOf(report), ids };
}

describe('attackLab() that runs again', () => {
  it(
    'reports the same verdicts for an application with accounts, although e-mails to one account are limited',
    async () => {
      const { module, options, prepare } = productApplication();
      const { app } = await startApplication(platform!, module(), { prepare });
      const first = verdictsOf(await attackLab(app, options));
      // The third run would send a sixth e-mail within an hour.
      for (let run = 2; run <= 3; run += 1) expect(verdictsOf(await attackLab(app, options))).toEqual(first);
    },
    TIMEOUT,
  );

  it(
    'reports the same verdicts for an application with all other features',
    async () => {
      const { app } = await startApplication(platform!, weakModule());
      const first = verdictsOf(await attackLab(app, OPTIONS));
      expect(verdictsOf(await attackLab(app, OPTIONS))).toEqual(first);
    },
    TIMEOUT,
  );

  it('chooses new values at a store that another process has attacked, and the same values at a new store', async () => {
    const only = ['code-replay', 'assertion-replay', 'flood-user-codes'];
    const shared = new WeakStore();
    const first = await startProcess(shared, { only });
    const second = await startProcess(shared, { only });
    const elsewhere = await startProcess(new WeakStore(), { only });
    expect(first.verdicts).toEqual(only.map((id) => `${id}: resisted`));
    expect(second.verdicts).toEqual(first.verdicts);
    expect(first.ids.filter((id) => second.ids.includes(id))).toEqual([]);
    expect(elsewhere).toEqual(first);
  });

  it('takes only its own counts back, and leaves the model as it was', async () => {
    const model = new WeakStore();
    const { countWithin } = model;
    const counted: string[] = [];
    model.countWithin = (key, seconds, by) => {
      counted.push(key);
      return countWithin.call(model, key, seconds, by);
    };
    const own = model.countWithin;
    const { app } = await startApplication(platform!, weakModule({ options: { model } }));
    await attackLab(app, { ...OPTIONS, only: ['flood-user-codes'] });
    expect(model.countWithin).toBe(own);
    const keys = [...new Set(counted)];
    const guesses = keys.find((key) => key.includes('user codes: user'))!;
    await model.countWithin(guesses, 300, 7);
    await attackLab(app, { ...OPTIONS, only: ['flood-user-codes'] });
    const left = await Promise.all(keys.map(async (key) => (await model.countWithin(key, 300, 0)).count));
    expect(Object.fromEntries(keys.map((key, at) => [key, left[at]]))).toEqual(
      Object.fromEntries(keys.map((key) => [key, key === guesses ? 7 : 0])),
    );
  });
});
