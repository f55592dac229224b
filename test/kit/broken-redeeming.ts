import { setImmediate as tick } from 'node:timers/promises';

import type { Model } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';
import { keep, redeemOf, rowOf } from './redeeming-model.js';

/** Ends a family by deleting what is there; `mayGoOn` is all that keeps others from adding to it. */
function redeemingAndDeleting(honest: CorrectModel, mayGoOn: (grantId: string) => Promise<boolean>): Partial<Model> {
  return {
    async redeem(spent, { successor, ...token }, client, user) {
      const goesOn = await mayGoOn(String(token.grantId));
      const row = rowOf(honest, spent);
      if (!goesOn || !row || row.revokedAt) return undefined;
      if (honest.accessTokens.has(token.accessToken)) throw new Error('duplicate key value');
      Object.assign(row, { revokedAt: new Date(), successor });
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
    fails: 'redeems an authorization code whole or not at all',
    finding: /`redeem\(\)` throws where saving fails, and an authorization code is spent for nothing/,
    remedy: /Whatever throws in between: ROLLBACK/,
    leaves: { 'authorization codes': 'broken', 'refresh tokens': 'broken' },
  },
  {
    mistake: 'redeems by two statements, the second of which may fail',
    methods: (honest) => ({
      async redeem(spent, { successor, ...token }, client, user) {
        const row = rowOf(honest, spent);
        if (!row || row.revokedAt) return undefined;
        Object.assign(row, { revokedAt: new Date(), successor });
        await tick();
        if (honest.accessTokens.has(token.accessToken)) throw new Error('duplicate key value');
        keep(honest, { ...token, client, user });
        return { ...token, client, user };
      },
    }),
    fails: 'redeems a refresh token whole or not at all',
    finding: /`redeem\(\)` throws where saving fails, and a refresh token is spent for nothing/,
    remedy: /let one transaction do both/,
    leaves: { 'authorization codes': 'broken', 'refresh tokens': 'broken' },
  },
  {
    mistake: 'saves the tokens, and then looks whether the code was spent',
    methods: (honest) => ({
      async redeem(spent, { successor, ...token }, client, user) {
        const row = rowOf(honest, spent);
        keep(honest, { ...token, client, user });
        if (!row || row.revokedAt) return undefined;
        Object.assign(row, { revokedAt: new Date(), successor });
        return { ...token, client, user };
      },
    }),
    fails: 'redeems an authorization code once, and saves nothing for whoever comes second',
    finding: /`redeem\(\)` saves tokens for an authorization code that it did not spend/,
    remedy: /no row: ROLLBACK and return null/,
    leaves: { 'authorization codes': 'broken', 'refresh tokens': 'broken' },
  },
  {
    mistake: 'redeems without a lock',
    methods: (honest) => ({
      async redeem(spent, { successor, ...token }, client, user) {
        const row = rowOf(honest, spent);
        if (!row || row.revokedAt) return undefined;
        await tick();
        if (honest.accessTokens.has(token.accessToken)) throw new Error('duplicate key value');
        Object.assign(row, { revokedAt: new Date(), successor });
        keep(honest, { ...token, client, user });
        return { ...token, client, user };
      },
    }),
    fails: 'lets one of many win who redeem a refresh token at once, and saves for no other',
    finding: /`redeem\(\)` returned a token to 40 of 40 callers at once: exactly one may win/,
    remedy: /let the row that changed decide/,
    leaves: { 'authorization codes': 'best effort', 'refresh tokens': 'best effort' },
  },
  {
    mistake: 'redeems a code whose family has ended',
    methods: (honest) => redeemingAndDeleting(honest, async () => true),
    fails: 'redeems an authorization code for no token that is alive once its family has ended',
    finding: /an access token for which an authorization code of the ended family was redeemed is let in/,
    remedy: /in the very transaction of `redeem\(\)`/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'looks whether the family has ended, then redeems',
    methods: (honest) =>
      redeemingAndDeleting(honest, async (grantId) => {
        const ended = honest.ended.has(grantId);
        await tick();
        await tick();
        return !ended;
      }),
    fails: 'leaves no token alive for which an authorization code is redeemed while its family ends',
    finding: /an access token for which an authorization code of the ended family was redeemed is let in/,
    remedy: /SELECT revoked_at FROM grants WHERE id = \? FOR UPDATE/,
    leaves: { 'token families': 'best effort' },
  },
  {
    mistake: 'drops the answer that a retry is owed',
    methods: (honest) => ({
      redeem: (spent, { successor: _, ...token }, client, user) => redeemOf(honest)(spent, token, client, user),
    }),
    fails: 'has the server answer a retry by the same tokens',
    finding: /the server refuses a retry at once/,
    remedy: /keep `token\.successor` beside the refresh token that `redeem\(\)` spends/,
    leaves: { 'refresh tokens': 'broken', 'authorization codes': 'atomic' },
  },
];
