import type { BrokenModel } from './broken-model.js';

const ONE = 'replaces signing keys for only one of many concurrent callers';
const COMPARED = 'replaces signing keys only if the passed old text equals the stored one';
const EXCHANGED =
  'revokes the tokens issued in exchange for an access token when that token is revoked, and no other tokens';

/** Mistakes with signing keys and exchanged tokens, which other records depend on. */
export const BROKEN_KEYS: readonly BrokenModel[] = [
  {
    mistake: 'replaces signing keys without comparing the previous ones',
    methods: (honest) => ({
      replaceSigningKeys: async (_old, text) => Boolean((honest.signing.text = text)),
      getSigningKeys: () => honest.getSigningKeys(),
    }),
    fails: COMPARED,
    finding:
      /`replaceSigningKeys\(\)` returns true although its argument `old` is `undefined`\. It must be exactly the stored text/,
    remedy: /compare byte by byte and replace/,
    leaves: { 'signing keys': 'broken' },
  },
  {
    mistake: 'truncates signing keys at the length of its column',
    methods: (honest) => ({
      replaceSigningKeys: (old, text) => honest.replaceSigningKeys(old?.slice(0, 255), text.slice(0, 255)),
      getSigningKeys: () => honest.getSigningKeys(),
    }),
    fails: COMPARED,
    finding: /`getSigningKeys\(\)` returns '\w+/,
    remedy: /UPDATE signing_keys/,
    leaves: { 'signing keys': 'broken' },
  },
  {
    mistake: 'compares signing keys, and replaces them in a second step',
    methods: (honest) => ({
      async replaceSigningKeys(old, text) {
        const isSame = (await honest.getSigningKeys()) === old;
        await new Promise(setImmediate);
        return isSame && Boolean((honest.signing.text = text));
      },
      getSigningKeys: () => honest.getSigningKeys(),
    }),
    fails: ONE,
    finding:
      /`replaceSigningKeys\(\)` returned true to (?!1 of)\d+ of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /WHERE id = 1 AND text = \?/,
    leaves: { 'signing keys': 'best effort' },
  },
  {
    mistake: 'does not link an exchanged token to its subject token',
    methods: (honest) => ({
      saveExchangedToken: (_subject, token, client, user) => honest.saveToken(token, client, user),
      saveToken: (token, client, user) => honest.saveToken(token, client, user),
      getAccessToken: (token) => honest.getAccessToken(token),
      getRefreshToken: (token) => honest.getRefreshToken(token),
      revokeAccessToken: (token) => honest.revokeAccessToken(token),
      revokeGrant: (grantId) => honest.revokeGrant(grantId),
    }),
    fails: EXCHANGED,
    finding:
      /After the subject token was revoked, `getAccessToken\(\)` still finds the token that was issued in exchange for it/,
    remedy: /LEFT JOIN access_tokens/,
    leaves: { 'exchanged tokens': 'broken' },
  },
  {
    mistake: 'saves an exchanged token into the family of another token',
    methods: (honest) => ({
      saveExchangedToken: (_subject, token, client, user) =>
        honest.saveToken({ ...token, grantId: 'all' }, client, user),
      saveToken: (token, client, user) => honest.saveToken(token, client, user),
      getAccessToken: (token) => honest.getAccessToken(token),
      getRefreshToken: (token) => honest.getRefreshToken(token),
      revokeAccessToken: (token) => honest.revokeAccessToken(token),
      revokeGrant: async (grantId) => {
        await honest.revokeGrant(grantId);
        await honest.revokeGrant('all');
      },
    }),
    fails:
      'revokes the tokens issued in exchange for tokens of a family when that family is revoked, and no other tokens',
    finding: /Revoking a subject token also revoked a token that was issued in exchange for another subject token/,
    remedy: /Store the subject token with the exchanged token/,
    leaves: { 'exchanged tokens': 'broken' },
  },
];
