import { type Check, demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { find, shown } from './finding.js';
import { ACCESS_TOKEN, AUTHORIZATION_CODE, type Kind, REFRESH_TOKEN } from './kinds.js';

/** What holds of the issuer of everything that belongs to a family. */
export const ISSUER_CHECKS: readonly Check[] = [ACCESS_TOKEN, AUTHORIZATION_CODE, REFRESH_TOKEN].map((kind) => {
  const { what, one, table, needs } = kind;
  return {
    name: `finds ${one} with the issuer that gave it out`,
    feature: 'token families',
    needs: [...needs, 'revokeGrant'],
    attack: `where several issuers share a database, ${one} of one of them is as good at all others: whoever may sign in at one is let in everywhere.`,
    remedy: `keep \`issuer\` in the row of the ${what}, and return it; what was saved without one has none.
  SQL    ALTER TABLE ${table} ADD COLUMN issuer TEXT   → return { …, issuer: row.issuer ?? undefined }`,
    run: (trial) => demandIssuer(trial, kind),
  };
});

const ISSUERS = ['https://kit.example', 'https://kit.example/another', undefined];

async function demandIssuer(trial: Trial, kind: Kind): Promise<void> {
  const saved: [issuer: string | undefined, value: string][] = [];
  for (const issuer of ISSUERS) saved.push([issuer, (await kind.save(trial, issuer ? { issuer } : {})).value]);
  for (const [issuer, value] of saved) {
    const found = (await find(trial, kind, value))['issuer'] ?? undefined;
    demand(found === issuer, `\`${kind.finder}()\` returns \`issuer\` ${shown(found)} for ${shown(issuer)}`);
  }
}
