import {
  type Feature,
  LATE,
  type OptionRows,
  optionTable,
  secondsFrom,
  SERVER_SECRETS,
  wholeSecondsFrom,
} from '../../../lib/internal.js';
import { ELICITATION, Elicitations } from './elicitations.js';
import { ELICITATIONS } from './elicitations-key.js';
import { elicitationPage } from './page.js';

/** The options of `urlElicitation()`. All are optional. */
export interface UrlElicitationOptions {
  /** Seconds in which the user must complete the page, and the client must repeat its call. Default: `600`. */
  lifetime?: number;
  /**
   * Seconds for which a repeated call waits for the user, because clients repeat a call as soon as the user has agreed
   * to open the page. At most 50, because clients wait for a minute. `0` does not wait. Default: `25`.
   */
  wait?: number;
}

const OPTIONS = optionTable('`urlElicitation()`', {
  lifetime: { check: wholeSecondsFrom(60, 86_400), default: 600 },
  wait: { check: secondsFrom(0, 50), default: 25 },
} satisfies OptionRows<UrlElicitationOptions>);

/**
 * Lets the tools of an MCP server send their user to a page, to confirm something or to enter what the client must not
 * see. Requires `pages()`. Use it through `OAuth2Elicitations`. MCP 2026-07-28, Elicitation, URL mode
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function urlElicitation(options: UrlElicitationOptions = {}): Feature {
  const { lifetime, wait } = OPTIONS.read(options);
  return {
    id: 'url-elicitation',
    specification: 'MCP',
    requires: ['once', 'countWithin'],
    endpoints: { [ELICITATION]: elicitationPage },
    settings: { lifetime, wait },
    install(builder) {
      builder.provide(ELICITATIONS, () => new Elicitations(builder.server, { lifetime, wait }));
      return {
        *misconfigurations(server) {
          if (!server.find(SERVER_SECRETS))
            yield `\`urlElicitation()\` requires the option \`secret\`, which encrypts its URLs: set it to at least 32 random characters, the same in every process. ${LATE}`;
          if (server.options.issuer === undefined)
            yield '`urlElicitation()` builds its URLs from the issuer: set the option `issuer`';
        },
      };
    },
  };
}
