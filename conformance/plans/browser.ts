import { ENGLISH } from 'nest-oauth2/pages';

import { ALICE } from '../host/store.js';

/** The actions of the suite's browser on the pages of the server. */
export interface Visit {
  match: string;
  'match-limit'?: number;
  tasks: readonly object[];
}

const AUTHORIZE = '*/oauth/authorize*';

const LOGIN = '*/oauth/login*';
/** Waits for a page with this message. `.` stands for characters with a meaning in regular expressions or in HTML. */
const onPage = (message: keyof typeof ENGLISH, mark: string) => [
  'wait',
  'xpath',
  '//*',
  10,
  ENGLISH[message].replaceAll(/[^\w ]+/g, '.+'),
  mark,
];

const fillIn = [
  ['text', 'id', 'username', ALICE.id],
  ['text', 'id', 'password', ALICE.password],
  ['click', 'css', 'button.primary'],
];
const signIn = { task: 'Sign in', optional: true, match: LOGIN, commands: fillIn };
/** Signs in, and stores the login page for modules that ask for it. */
const signInSeen = { ...signIn, commands: [onPage('signInTitle', 'update-image-placeholder-optional'), ...fillIn] };

const decide = (decision: 'allow' | 'deny') => ({
  task: decision === 'allow' ? 'Consent' : 'Refuse',
  optional: decision === 'allow',
  match: AUTHORIZE,
  commands: [['click', 'css', `button[value=${decision}]`]],
});

const arrive = {
  task: 'Arrive at the client',
  match: '*/test/*/callback*',
  commands: [['wait', 'id', 'submission_complete', 10]],
};

/** Signs in if requested, agrees, and returns to the client. */
export const agree: Visit[] = [{ match: AUTHORIZE, tasks: [signIn, decide('allow'), arrive] }];

/** Signs in, and again if requested, and stores the second login page for the suite. */
export const agreeAgain: Visit[] = [{ match: AUTHORIZE, tasks: [signInSeen, decide('allow'), arrive] }];

/** Signs in and denies the request. */
export const refuse: Visit[] = [{ match: AUTHORIZE, tasks: [signIn, decide('deny'), arrive] }];

const readErrorPage: Visit = {
  match: AUTHORIZE,
  tasks: [
    {
      task: 'Read the error page',
      match: AUTHORIZE,
      commands: [onPage('errorTitle', 'update-image-placeholder')],
    },
  ],
};

const LOGOUT = '*/oauth/logout*';
const confirm = {
  task: 'Confirm',
  optional: true,
  match: LOGOUT,
  commands: [['click', 'css', 'main button', 'optional']],
};

/** Signs in and out. The browser ends on a page of the client, or on the confirmation page of the server. */
export const signOut: Visit[] = [
  ...agree,
  { match: LOGOUT, tasks: [confirm, { task: 'Arrive at the client', match: '*/test/*/post_logout_redirect*' }] },
];
export const signOutHere: Visit[] = [
  ...agree,
  {
    match: LOGOUT,
    tasks: [confirm, { task: 'Read', match: LOGOUT, commands: [onPage('signedOutTitle', 'update-image-placeholder')] }],
  },
];

/**
 * Signs in, and signs out as the client requests: ends on a page of the client, or on the page of the server after
 * signing out.
 */
export const signOutRefused: Visit[] = [
  ...agree,
  {
    match: LOGOUT,
    tasks: [
      {
        task: 'Read',
        match: LOGOUT,
        commands: [onPage('errorTitle', 'update-image-placeholder')],
      },
    ],
  },
];

/** Signs in, and stores the consent page, which shows data of the client. */
export const consentPage: Visit[] = [
  {
    match: AUTHORIZE,
    tasks: [signIn, { task: 'Read', match: AUTHORIZE, commands: [onPage('consentTitle', 'update-image-placeholder')] }],
  },
];

/** Reads the error page. The browser is not redirected. */
export const errorPage: Visit[] = [readErrorPage];

/** Signs in and agrees. Reads the error page at the second request. */
export const errorPageLater: Visit[] = [...agree.map((visit) => ({ ...visit, 'match-limit': 1 })), readErrorPage];

/** Leaves the login page without signing in. Agrees at the second request. */
export const agreeLater: Visit[] = [
  {
    match: AUTHORIZE,
    'match-limit': 1,
    tasks: [{ task: 'Leave', match: LOGIN, commands: [['wait', 'id', 'username', 10]] }],
  },
  ...agree,
];
