import { ENGLISH } from 'nest-oauth2/pages';

import { ALICE } from '../host/store.js';

/** What the suite's browser does when it is sent to the server: our pages, clicked without a script. */
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

/** Signs in where that is asked, agrees, and comes back. */
export const agree: Visit[] = [{ match: AUTHORIZE, tasks: [signIn, decide('allow'), arrive] }];

/** Signs in, and again where that is asked, and shows the suite that it was. */
export const agreeAgain: Visit[] = [{ match: AUTHORIZE, tasks: [signInSeen, decide('allow'), arrive] }];

/** Signs in, and does not agree. */
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

/** Signs in, and signs out as the client wants it: to a page of that, or to one here that says so. */
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

/** Signs in, and reads the error page instead of signing out. */
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

/** Signs in, and shows the suite what the page says of the client that asks. */
export const consentPage: Visit[] = [
  {
    match: AUTHORIZE,
    tasks: [signIn, { task: 'Read', match: AUTHORIZE, commands: [onPage('consentTitle', 'update-image-placeholder')] }],
  },
];

/** Reads the error page. The browser is not redirected. */
export const errorPage: Visit[] = [readErrorPage];

/** Signs in and agrees, and reads the error page at the second request. */
export const errorPageLater: Visit[] = [...agree.map((visit) => ({ ...visit, 'match-limit': 1 })), readErrorPage];

/** Leaves without signing in, and comes again to agree. */
export const agreeLater: Visit[] = [
  {
    match: AUTHORIZE,
    'match-limit': 1,
    tasks: [{ task: 'Leave', match: LOGIN, commands: [['wait', 'id', 'username', 10]] }],
  },
  ...agree,
];
