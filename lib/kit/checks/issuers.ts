import { type Check, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { findSaved, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, AUTHORIZATION_CODE, type TokenKind, REFRESH_TOKEN } from './token-kinds.js';

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
    run: (trial) => assertIssuerStored(trial, kind),
  };
});

const ISSUERS = ['https://kit.example', 'https://kit.example/another', undefined];

async function assertIssuerStored(trial: CheckContext, kind: TokenKind): Promise<void> {
  const saved: [issuer: string | undefined, value: string][] = [];
  for (const issuer of ISSUERS) saved.push([issuer, (await kind.save(trial, issuer ? { issuer } : {})).value]);
  for (const [issuer, value] of saved) {
    const found = (await findSaved(trial, kind, value))['issuer'] ?? undefined;
    assert(
      found === issuer,
      `\`${kind.findMethod}()\` returns \`issuer\` ${inspectValue(found)} for ${inspectValue(issuer)}`,
    );
  }
}
