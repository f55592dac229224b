import { Logger } from '@nestjs/common';
import { emitEvent, hasListener } from '../../lib/adapter/index.js';
import type { EventSink, OAuth2Event, OAuth2EventName, OAuth2Events } from '../../lib/index.js';

const logger = new Logger('OAuth2');

/** What a line is written of, and at which level: what was granted is for the listeners of the host alone. */
const LEVELS: Partial<Record<OAuth2EventName, 'debug' | 'warn'>> = {
  'access.refused': 'debug',
  'authorization.refused': 'debug',
  'client.refused': 'debug',
  'consent.denied': 'debug',
  'endpoint.refused': 'debug',
  'logout.failed': 'warn',
  'token.refused': 'debug',
  'token.reuse_detected': 'warn',
  'user.refused': 'debug',
};

/** Those of the host's providers that hear an event. */
interface Listeners {
  hasListener(name: OAuth2EventName): boolean;
  notify(name: OAuth2EventName, payload: object): void;
}

/** Writes a line for every refusal, and hands all events on to the listeners of the host. */
export class EventLog implements EventSink {
  constructor(
    private readonly events: EventSink | undefined,
    private readonly listeners?: Listeners,
    /** The name of the server, where the host has given it one. */
    private readonly server?: string,
  ) {}

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

/** Nest 11 calls every level disabled, `fatal` too, where the host has named none; all of them are written then. */
function isLogged(name: OAuth2EventName): boolean {
  const level = LEVELS[name];
  return level !== undefined && (Logger.isLevelEnabled(level) || !Logger.isLevelEnabled('fatal'));
}

/** One line, whatever a client sent: `token.refused error="invalid_grant" …`. */
function lineOf(name: string, { at: _, ...facts }: OAuth2Event): string {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return [name, ...known.map(([key, value]) => `${key}=${textOf(value)}`)].join(' ');
}

const LONGEST = 1000;

function textOf(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? typeof value;
  } catch {
    text = typeof value === 'bigint' ? String(value) : typeof value;
  }
  const cut = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
  return cut.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What JSON leaves as it is and a terminal may obey; some of it turns the order of what follows. Unicode Report 9 §2 */
const UNPRINTABLE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
