import { InvalidArgumentError } from '../../lib/index.js';
import { AttemptCounter, type Throttle } from './attempts.js';
import { localPath } from './local-path.js';
import { type Look, PageRenderer } from './page-renderer.js';
import type { Sessions } from './sessions.js';

/** What `pages()` takes. All of it may be left out. */
export interface PagesOptions extends Look {
  /** Seconds for which somebody stays signed in. Default: 28 800, eight hours */
  sessionLifetime?: number;
  /** Does signing out end all that the user has granted, and their sessions elsewhere? Default: false, this browser alone */
  signOutEndsGrants?: boolean;
  /** Where it is kept who is signed in. Default: in the model, by a cookie of the pages */
  sessions?: Sessions;
  /** The host's own login page, which comes back to the local path `return_to`; it needs `sessions`. Default: one of the pages */
  login?: string;
  /** Slows down who guesses passwords. Default: ten attempts in five minutes for one name from one address, in one process */
  throttle?: Throttle;
  /** `false`: no page of the applications with access. Default: true, where the model keeps consents */
  applications?: boolean;
  /** Is there a page where users enter the codes of devices? It needs the feature `deviceAuthorization()`. Default: false */
  devices?: boolean;
}

/** The options with their defaults, checked once. */
export interface SettledOptions {
  renderer: PageRenderer;
  sessions: Sessions | undefined;
  login: string | undefined;
  home: string;
  sessionLifetime: number;
  signOutEndsGrants: boolean;
  throttle: Throttle;
}

const EIGHT_HOURS = 28_800;

/** @throws InvalidArgumentError, with a sentence, for what cannot work */
export function settlePagesOptions(options: PagesOptions): SettledOptions {
  const { sessions, login, home = '/', sessionLifetime = EIGHT_HOURS, throttle = new AttemptCounter() } = options;
  demand(
    Number.isSafeInteger(sessionLifetime) && sessionLifetime > 0,
    '`sessionLifetime` must be whole seconds, above 0',
  );
  demand(localPath(home) !== undefined, '`home` must be a path on this server, such as `/`');
  demand(
    login === undefined || localPath(login) !== undefined,
    '`login` must be a path on this server, such as `/login`',
  );
  demand(
    login === undefined || sessions !== undefined,
    '`login` needs `sessions`, which know whom your login page signs in',
  );
  for (const method of ['find', 'start', 'end'] as const) {
    demand(!sessions || typeof sessions[method] === 'function', `\`sessions\` must have a method \`${method}()\``);
  }
  demand(typeof throttle.count === 'function', '`throttle` must have a method `count()`');
  const signOutEndsGrants = options.signOutEndsGrants === true;
  return { renderer: new PageRenderer(options), sessions, login, home, sessionLifetime, signOutEndsGrants, throttle };
}

function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new InvalidArgumentError(`Invalid argument: ${sentence}`);
}
