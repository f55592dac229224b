import { InvalidBindingMessageError } from '../../errors/index.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import { BACKCHANNEL_TOKEN_DELIVERY_MODE } from './client-fields.js';
import { readAcrValues } from '../prompt/requested-prompt.js';
import type { CibaSettings } from './options.js';

/** What a client says of how its user is to be asked. CIBA §7.1 */
export interface BackchannelParameters {
  /** Seconds. */
  lifetime: number;
  acrValues: readonly string[];
  bindingMessage: string | undefined;
  userCode: string | undefined;
  /** By which the client knows that it is told by this server, in the mode `ping`. */
  notificationToken: string | undefined;
}

/** Characters of a code that a user has told the client. */
const MAX_USER_CODE_LENGTH = 1000;
/** What fits on two devices, and can be compared by eye. */
const MAX_MESSAGE_LENGTH = 100;

/** @throws InvalidRequestError, InvalidBindingMessageError for what is not what it must be */
export function readBackchannelParameters(
  parameters: Parameters,
  client: CoreClient,
  { lifetime, userCode }: CibaSettings,
): BackchannelParameters {
  const expiry = parameters.optional('requested_expiry', (text) => /^[1-9]\d{0,8}$/.test(text));
  return {
    lifetime: Math.min(lifetime, expiry === undefined ? lifetime : Number(expiry)),
    acrValues: readAcrValues(parameters, client),
    bindingMessage: readMessage(parameters),
    userCode: userCode
      ? parameters.optional('user_code', (text) => text.length <= MAX_USER_CODE_LENGTH && isText(text))
      : undefined,
    notificationToken: usesPingMode(client) ? parameters.required('client_notification_token', isBearer) : undefined,
  };
}

/** Is this client told, so that it need not poll? CIBA §5 */
export const usesPingMode = (client: CoreClient): boolean => BACKCHANNEL_TOKEN_DELIVERY_MODE.of(client) === 'ping';

const isBearer = (text: string) => text.length <= 1024 && /^[\w.~+/-]+=*$/.test(text);

function readMessage(parameters: Parameters): string | undefined {
  const message = parameters.optional('binding_message', () => true);
  if (message === undefined || (message.length <= MAX_MESSAGE_LENGTH && !/[\p{C}\p{Zl}\p{Zp}]/u.test(message)))
    return message;
  throw new InvalidBindingMessageError('Invalid binding message: it has one line of 100 characters at most');
}
