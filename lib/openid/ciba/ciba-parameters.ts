import { InvalidBindingMessageError } from '../../errors/index.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import { BACKCHANNEL_TOKEN_DELIVERY_MODE } from './client-fields.js';
import { readAcrValues } from '../prompt/asked-prompt.js';
import type { CibaSettings } from './options.js';

/** What a client says of how its user is to be asked. CIBA §7.1 */
export interface AskedElsewhere {
  /** Seconds. */
  lifetime: number;
  acrValues: readonly string[];
  bindingMessage: string | undefined;
  userCode: string | undefined;
  /** By which the client knows that it is told by this server, in the mode `ping`. */
  notificationToken: string | undefined;
}

/** Characters of a code that a user has told the client. */
const LONGEST_CODE = 1000;
/** What fits on two devices, and can be compared by eye. */
const LONGEST_MESSAGE = 100;

/** @throws InvalidRequestError, InvalidBindingMessageError for what is not what it must be */
export function readAskedElsewhere(
  parameters: Parameters,
  client: CoreClient,
  { lifetime, userCode }: CibaSettings,
): AskedElsewhere {
  const expiry = parameters.optional('requested_expiry', (text) => /^[1-9]\d{0,8}$/.test(text));
  return {
    lifetime: Math.min(lifetime, expiry === undefined ? lifetime : Number(expiry)),
    acrValues: readAcrValues(parameters, client),
    bindingMessage: readMessage(parameters),
    userCode: userCode
      ? parameters.optional('user_code', (text) => text.length <= LONGEST_CODE && isText(text))
      : undefined,
    notificationToken: isPinged(client) ? parameters.required('client_notification_token', isBearer) : undefined,
  };
}

/** Is this client told, so that it need not poll? CIBA §5 */
export const isPinged = (client: CoreClient): boolean => BACKCHANNEL_TOKEN_DELIVERY_MODE.of(client) === 'ping';

const isBearer = (text: string) => text.length <= 1024 && /^[\w.~+/-]+=*$/.test(text);

function readMessage(parameters: Parameters): string | undefined {
  const message = parameters.optional('binding_message', () => true);
  if (message === undefined || (message.length <= LONGEST_MESSAGE && !/[\p{C}\p{Zl}\p{Zp}]/u.test(message)))
    return message;
  throw new InvalidBindingMessageError('Invalid binding message: it has one line of 100 characters at most');
}
