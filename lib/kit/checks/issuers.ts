import { type Check, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { findSaved, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, AUTHORIZATION_CODE, type TokenKind, REFRESH_TOKEN } from './token-kinds.js';

/** The checks that the model returns codes and tokens with the issuer that they were saved with. */
export const ISSUER_CHECKS: readonly Check[] = [ACCESS_TOKEN, AUTHORIZATION_CODE, REFRESH_TOKEN].map((kind) => {
  const { token, aToken, table, needs } = kind;
  return {
    name: `returns ${aToken} with the issuer it was saved with`,
    feature: 'token families',
    needs: [...needs, 'revokeGrant'],
    attack: `Several issuers share a database, and ${aToken} of one issuer is accepted by all others. A user of one issuer gets access to all of them.`,
    remedy: `Store \`issuer\` in the row of the ${token} and return it. Return no issuer if none was saved.
  SQL    ALTER TABLE ${table} ADD COLUMN issuer TEXT   → return { …, issuer: row.issuer ?? undefined }`,
    run: (context) => assertIssuerStored(context, kind),
  };
});

const ISSUERS = ['https://kit.example', 'https://kit.example/another', undefined];

async function assertIssuerStored(context: CheckContext, kind: TokenKind): Promise<void> {
  const saved: [issuer: string | undefined, value: string][] = [];
  for (const issuer of ISSUERS) saved.push([issuer, (await kind.save(context, issuer ? { issuer } : {})).value]);
  for (const [issuer, value] of saved) {
    const issuerFound = (await findSaved(context, kind, value))['issuer'] ?? undefined;
    assert(
      issuerFound === issuer,
      `\`${kind.findMethod}()\` returns \`issuer\` ${inspectValue(issuerFound)}. Saved was ${inspectValue(issuer)}.`,
    );
  }
}
