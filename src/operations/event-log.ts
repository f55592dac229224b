import { Logger } from '@nestjs/common';

import { emitEvent, hasListener, OAUTH_ERRORS } from '../../lib/internal.js';
import type { EventSink, OAuth2Event, OAuth2EventName, OAuth2Events } from '../../lib/index.js';

const logger = new Logger('OAuth2');

/** The events that are logged, with their level. All other events are emitted but not logged. */
const LEVELS: Partial<Record<OAuth2EventName, 'debug' | 'warn'>> = {
  'access.refused': 'debug',
  'authorization.refused': 'debug',
  'client.refused': 'debug',
  'consent.denied': 'debug',
  'endpoint.refused': 'debug',
  'logout.failed': 'warn',
  'token.refused': 'debug',
  'token.reuse_detected': 'warn',
  'upstream.reconnect_required': 'debug',
  'upstream.refused': 'debug',
  'user.refused': 'debug',
};

/** The methods of the application that listen to events. */
interface Listeners {
  hasListener(name: OAuth2EventName): boolean;
  notify(name: OAuth2EventName, payload: object): void;
}

/**
 * Logs refusals and failures, and passes all events to the sink in the option `events` and to the methods with
 * `@OnOAuth2Event()`.
 */
export class EventLog implements EventSink {
  constructor(
    private readonly events: EventSink | undefined,
    private readonly listeners?: Listeners,
    /** The name of the server. If omitted, events have no `server`. */
    private readonly server?: string,
  ) {}

  /** Whether the application has set the option `events`. Reports read it. */
  get hasSink(): boolean {
    return this.events !== undefined;
  }

  wants(name: OAuth2EventName): boolean {
    return hasListener(this.events, name) || isLogged(name) || this.listeners?.hasListener(name) === true;
  }

  emit<N extends OAuth2EventName>(name: N, payload: OAuth2Events[N]): void {
    if (this.server !== undefined) payload.server = this.server;
    if (isLogged(name)) logger[LEVELS[name]!](lineOf(name, payload));
    if (hasListener(this.events, name)) emitEvent(this.events, name, payload);
    if (this.listeners?.hasListener(name)) this.listeners.notify(name, payload);
  }
}

/**
 * Whether an event is logged. If the application sets no log levels, Nest 11 reports every level as disabled, even
 * `fatal`; then all are logged.
 */
function isLogged(name: OAuth2EventName): boolean {
  const level = LEVELS[name];
  return level !== undefined && (Logger.isLevelEnabled(level) || !Logger.isLevelEnabled('fatal'));
}

/**
 * The page that explains errors, as a path from the folder of the application. The page has a section for each error
 * code.
 */
const HELP_PAGE = 'node_modules/nest-oauth2/docs/reference/errors.md';
const CODES = new Set<unknown>(OAUTH_ERRORS.map(({ prototype }) => prototype.name));

/**
 * Returns the log line of an event: `token.refused error="invalid_grant" … help="…"`. Values that a client sent cannot
 * add line breaks. The last field is the section of the documentation that explains the error code. Codes of the
 * application have none.
 */
function lineOf(name: string, { at: _, ...details }: OAuth2Event & { error?: unknown }): string {
  const help = CODES.has(details.error) ? `${HELP_PAGE}#${String(details.error)}` : undefined;
  const present = Object.entries({ ...details, help }).filter(([, value]) => value !== undefined);
  return [name, ...present.map(([key, value]) => `${key}=${textOf(value)}`)].join(' ');
}

const MAX_LENGTH = 1000;

function textOf(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? typeof value;
  } catch {
    text = typeof value === 'bigint' ? String(value) : typeof value;
  }
  const cut = text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
  return cut.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Characters that JSON does not escape and that a terminal may interpret, including those that change the text
 * direction. Unicode Report 9 §2
 */
const UNPRINTABLE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
