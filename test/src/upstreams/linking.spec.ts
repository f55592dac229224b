import { describe, expect, it } from '@jest/globals';

import { decideLinking, type LinkingFacts } from '../../../src/upstreams/linking/decide.js';

const bob = { id: '2', isVerified: true, isAllowed: true };
const signIn: LinkingFacts = {
  intent: 'signIn',
  use: 'both',
  owner: undefined,
  emailOwner: undefined,
  linkTo: undefined,
};
const link: LinkingFacts = { ...signIn, intent: 'link', linkTo: bob };

describe('decideLinking', () => {
  it.each<[string, Partial<LinkingFacts>, unknown]>([
    ['creates an account at the first sign-in', {}, 'create'],
    ['signs the owner of the identity in', { owner: '1' }, 'signIn'],
    [
      'signs the owner in although another account has the address',
      { owner: '1', emailOwner: { isVerified: true } },
      'signIn',
    ],
    ['never merges accounts with equal addresses', { emailOwner: { isVerified: true } }, { refusal: 'emailInUse' }],
    ['takes an address from an account that never proved it', { emailOwner: { isVerified: false } }, 'release'],
    ['never signs in with a provider for links only', { owner: '1', use: 'link' }, { refusal: 'linkOnly' }],
    ['never creates an account with a provider for links only', { use: 'link' }, { refusal: 'linkOnly' }],
    ['signs in with a provider for sign-in only', { owner: '1', use: 'signIn' }, 'signIn'],
    ['ignores a signed-in user: a sign-in never links', { linkTo: bob }, 'create'],
  ])('%s', (_title, facts, decision) => {
    expect(decideLinking({ ...signIn, ...facts })).toEqual(decision);
  });

  it.each<[string, Partial<LinkingFacts>, unknown]>([
    ['links a new identity to the signed-in user', {}, 'link'],
    ['links with a provider for links only', { use: 'link' }, 'link'],
    ['changes nothing if the identity belongs to the user already', { owner: '2' }, 'isLinked'],
    ['never moves the identity of another account', { owner: '1' }, { refusal: 'otherAccount' }],
    ['requires that the user who began is still signed in', { linkTo: undefined }, { refusal: 'notFresh' }],
    ['signs nobody in, also if the identity has an owner', { linkTo: undefined, owner: '1' }, { refusal: 'notFresh' }],
    ['never links with a provider for sign-in only', { use: 'signIn' }, { refusal: 'signInOnly' }],
    [
      'never links to an account whose address is not verified',
      { linkTo: { ...bob, isVerified: false } },
      { refusal: 'unverifiedAccount' },
    ],
    ['lets the application refuse a link', { linkTo: { ...bob, isAllowed: false } }, { refusal: 'notAllowed' }],
    ['does not look at addresses', { emailOwner: { isVerified: true } }, 'link'],
  ])('%s', (_title, facts, decision) => {
    expect(decideLinking({ ...link, ...facts })).toEqual(decision);
  });
});
