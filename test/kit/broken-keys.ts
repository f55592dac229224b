import type { BrokenModel } from './broken-model.js';

const ONE = 'lets one of many win who replace signing keys at once';
const COMPARED = 'replaces signing keys for whoever knows what they were';
const EXCHANGED = 'ends with an access token what it was exchanged for, and no more';

/** Mistakes with what other things hang on: keys, and tokens that others came of. */
export const BROKEN_KEYS: readonly BrokenModel[] = [
  {
    mistake: 'replaces signing keys without a look at what they were',
    methods: (honest) => ({
      replaceSigningKeys: async (_old, text) => Boolean((honest.signing.text = text)),
      getSigningKeys: () => honest.getSigningKeys(),
    }),
    fails: COMPARED,
    finding: /`replaceSigningKeys\(\)` takes nothing for what is kept/,
    remedy: /compare and replace, byte by byte/,
    leaves: { 'signing keys': 'broken' },
  },
  {
    mistake: 'cuts signing keys off where its column ends',
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
    mistake: 'compares signing keys first, and replaces them then',
    methods: (honest) => ({
      async replaceSigningKeys(old, text) {
        const isSame = (await honest.getSigningKeys()) === old;
        await new Promise(setImmediate);
        return isSame && Boolean((honest.signing.text = text));
      },
      getSigningKeys: () => honest.getSigningKeys(),
    }),
    fails: ONE,
    finding: /`replaceSigningKeys\(\)` returned true to (?!1 of)\d+ of 40 callers at once/,
    remedy: /WHERE id = 1 AND text = \?/,
    leaves: { 'signing keys': 'best effort' },
  },
  {
    mistake: 'saves an exchanged token as any other',
    methods: (honest) => ({
      saveExchangedToken: (_subject, token, client, user) => honest.saveToken(token, client, user),
      saveToken: (token, client, user) => honest.saveToken(token, client, user),
      getAccessToken: (token) => honest.getAccessToken(token),
      getRefreshToken: (token) => honest.getRefreshToken(token),
      revokeAccessToken: (token) => honest.revokeAccessToken(token),
      revokeGrant: (grantId) => honest.revokeGrant(grantId),
    }),
    fails: EXCHANGED,
    finding: /the token has ended, and what it was exchanged for is found/,
    remedy: /LEFT JOIN access_tokens/,
    leaves: { 'exchanged tokens': 'broken' },
  },
  {
    mistake: 'saves an exchanged token into the family of another one',
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
    fails: 'ends with a family what its tokens were exchanged for, and no more',
    finding: /what another token was exchanged for has ended as well/,
    remedy: /keep with the token what it came of/,
    leaves: { 'exchanged tokens': 'broken' },
  },
];
