import { setImmediate as tick } from 'node:timers/promises';

import type { Model } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';
import { keep, redeemOf, rowOf } from './redeeming-model.js';

/** Revokes a family by deleting its rows. Only `mayGoOn` prevents others from adding to it. */
function redeemingAndDeleting(honest: CorrectModel, mayGoOn: (grantId: string) => Promise<boolean>): Partial<Model> {
  return {
    async redeem(spent, { rotatedToken, ...token }, client, user) {
      const goesOn = await mayGoOn(String(token.grantId));
      const row = rowOf(honest, spent);
      if (!goesOn || !row || row.revokedAt) return undefined;
      if (honest.accessTokens.has(token.accessToken)) throw new Error('duplicate key value');
      Object.assign(row, { revokedAt: new Date(), rotatedToken });
      keep(honest, { ...token, client, user });
      return { ...token, client, user };
    },
    async revokeGrant(grantId) {
      await honest.revokeGrant(grantId);
      for (const rows of [honest.accessTokens, honest.refreshTokens]) {
        for (const [token, row] of rows) if (row.grantId === grantId) rows.delete(token);
      }
    },
    getAccessToken: async (token) => honest.accessTokens.get(token),
  };
}

export const BROKEN_REDEEMING: readonly BrokenModel[] = [
  {
    mistake: 'redeems without a transaction',
    methods: (honest) => ({
      async redeem(spent, token, client, user) {
        const row = rowOf(honest, spent);
        if (!row || row.revokedAt) return undefined;
        row.revokedAt = new Date();
        return honest.saveToken(token, client, user);
      },
    }),
    fails: 'redeems an authorization code and saves the new tokens, or does neither',
    finding:
      /`redeem\(\)` throws if saving fails, but the authorization code is marked as used and no tokens are saved/,
    remedy: /If any statement fails: ROLLBACK/,
    leaves: { 'authorization codes': 'broken', 'refresh tokens': 'broken' },
  },
  {
    mistake: 'redeems in two statements, of which the second may fail',
    methods: (honest) => ({
      async redeem(spent, { rotatedToken, ...token }, client, user) {
        const row = rowOf(honest, spent);
        if (!row || row.revokedAt) return undefined;
        Object.assign(row, { revokedAt: new Date(), rotatedToken });
        await tick();
        if (honest.accessTokens.has(token.accessToken)) throw new Error('duplicate key value');
        keep(honest, { ...token, client, user });
        return { ...token, client, user };
      },
    }),
    fails: 'redeems a refresh token and saves the new tokens, or does neither',
    finding: /`redeem\(\)` throws if saving fails, but the refresh token is marked as used and no tokens are saved/,
    remedy: /Mark the code or token as used and save the new tokens in one transaction/,
    leaves: { 'authorization codes': 'broken', 'refresh tokens': 'broken' },
  },
  {
    mistake: 'saves the tokens before it checks whether the code was consumed',
    methods: (honest) => ({
      async redeem(spent, { rotatedToken, ...token }, client, user) {
        const row = rowOf(honest, spent);
        keep(honest, { ...token, client, user });
        if (!row || row.revokedAt) return undefined;
        Object.assign(row, { revokedAt: new Date(), rotatedToken });
        return { ...token, client, user };
      },
    }),
    fails: 'redeems an authorization code only once, and saves no tokens for a second caller',
    finding: /`redeem\(\)` returned nothing for an authorization code that was already used, but saved the new tokens/,
    remedy: /no row: ROLLBACK and return null/,
    leaves: { 'authorization codes': 'broken', 'refresh tokens': 'broken' },
  },
  {
    mistake: 'redeems without a lock',
    methods: (honest) => ({
      async redeem(spent, { rotatedToken, ...token }, client, user) {
        const row = rowOf(honest, spent);
        if (!row || row.revokedAt) return undefined;
        await tick();
        if (honest.accessTokens.has(token.accessToken)) throw new Error('duplicate key value');
        Object.assign(row, { revokedAt: new Date(), rotatedToken });
        keep(honest, { ...token, client, user });
        return { ...token, client, user };
      },
    }),
    fails: 'redeems a refresh token for only one of many concurrent callers, and saves tokens only for that caller',
    finding: /`redeem\(\)` returned a token to 40 of 40 concurrent callers\. Exactly one must succeed/,
    remedy: /let the changed row decide/,
    leaves: { 'authorization codes': 'best effort', 'refresh tokens': 'best effort' },
  },
  {
    mistake: 'redeems a code of a revoked family',
    methods: (honest) => redeemingAndDeleting(honest, async () => true),
    fails: 'saves no valid token when an authorization code of a revoked family is redeemed',
    finding: /The server accepts an access token that was issued for an authorization code of a revoked family/,
    remedy: /In the transaction of `redeem\(\)`/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'reads whether the family is revoked, and redeems in a second step',
    methods: (honest) =>
      redeemingAndDeleting(honest, async (grantId) => {
        const ended = honest.ended.has(grantId);
        await tick();
        await tick();
        return !ended;
      }),
    fails: 'saves no valid token if the family is revoked while an authorization code is redeemed',
    finding: /The server accepts an access token that was issued for an authorization code of a revoked family/,
    remedy: /SELECT revoked_at FROM grants WHERE id = \? FOR UPDATE/,
    leaves: { 'token families': 'best effort' },
  },
  {
    mistake: 'does not store the response for a retried refresh',
    methods: (honest) => ({
      redeem: (spent, { rotatedToken: _, ...token }, client, user) => redeemOf(honest)(spent, token, client, user),
    }),
    fails: 'lets the server return the same tokens for a retried refresh request',
    finding: /The server rejects an immediate retry of a refresh request, although the grace period has not ended/,
    remedy: /Store `token\.rotatedToken` in a text column of the refresh token/,
    leaves: { 'refresh tokens': 'broken', 'authorization codes': 'atomic' },
  },
];
