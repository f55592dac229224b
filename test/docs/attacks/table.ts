/** The attacks that the tests of this folder run against code that readers copy. */
export const ATTACKS = ['takeover by spelling', 'enumeration', 'CSRF', 'fixation', 'work'] as const;

export type Attack = (typeof ATTACKS)[number];

/** The test file that runs an attack against a source, or the reason why the attack does not apply. */
type Row = Record<Attack, `${string}.spec.ts` | `none: ${string}`>;

const NONE = {
  'takeover by spelling': 'none: it finds no account by a text that a user typed',
  enumeration: 'none: its responses do not depend on whether an account exists',
  CSRF: 'none: it accepts only a value that no other site knows',
  fixation: 'none: it starts no session',
  work: 'none: it computes no slow hash and stores nothing for strangers',
} satisfies Row;

/** The sources with a route that changes something and needs no access token. */
export const TABLE: Readonly<Record<string, Row>> = {
  'docs/reference/features/sessions.md': {
    ...NONE,
    'takeover by spelling': 'none: it compares user names itself, with `===`',
    enumeration: 'enumeration.spec.ts',
    CSRF: 'forms.spec.ts',
    fixation: 'forms.spec.ts',
    work: 'enumeration.spec.ts',
  },
  'docs/guides/own-pages.md': {
    ...NONE,
    'takeover by spelling': 'none: it passes the name to the users of the application',
    CSRF: 'forms.spec.ts',
    fixation: 'forms.spec.ts',
  },
  'docs/guides/sign-out-and-deletion.md': { ...NONE, CSRF: 'forms.spec.ts' },
  'docs/reference/features/ciba.md': { ...NONE, CSRF: 'none: only the phone of the user knows the ID of a request' },
  'docs/reference/features/url-elicitation.md': {
    ...NONE,
    CSRF: 'none: `complete()` rejects requests that another site sent',
  },
  'sample/10-mcp/src/github/stand-in.controller.ts': {
    ...NONE,
    CSRF: 'none: a stand-in without accounts, which authorizes every browser for the same demo user',
    work: 'none: it computes no slow hash, and applications do not copy this stand-in',
  },
  'sample/11-openid/src/web/sign-in.controller.ts': {
    ...NONE,
    CSRF: 'none: a client, which compares `state` and verifies the logout token',
    fixation: 'none: a client, whose session holds no identity before the callback',
  },
  'sample/14-swagger/src/notes.controller.ts': { ...NONE, CSRF: 'none: a global guard demands an access token' },
  'sample/16-passport/src/login.controller.ts': {
    ...NONE,
    CSRF: 'none: its guard compares the origin of the form',
    fixation: 'none: `logIn()` of Passport regenerates the session',
  },
  'sample/18-payments/src/server/phone.controller.ts': {
    ...NONE,
    CSRF: 'none: only the user knows the ID of a request',
  },
};
