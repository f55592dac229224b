import { InvalidBindingMessageError } from '../../errors/index.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import { BACKCHANNEL_TOKEN_DELIVERY_MODE } from './client-fields.js';
import { readAcrValues } from '../prompt/requested-prompt.js';
import type { CibaSettings } from './options.js';

/** The parameters that define how the user is asked. CIBA §7.1 */
export interface BackchannelParameters {
  /** Seconds until the request expires. */
  lifetime: number;
  acrValues: readonly string[];
  bindingMessage: string | undefined;
  userCode: string | undefined;
  /** The bearer token that authenticates this server to the client in `ping` mode. */
  notificationToken: string | undefined;
}

/** Maximum number of characters of a `user_code`. */
const MAX_USER_CODE_LENGTH = 1000;
/** Maximum number of characters of a `binding_message`, which the user has to compare on two devices. */
const MAX_MESSAGE_LENGTH = 100;

/**
 * Reads the parameters that define how the user is asked.
 * @throws {InvalidRequestError} If a parameter is missing or invalid.
 * @throws {InvalidBindingMessageError} If `binding_message` is too long or has several lines.
 */
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

/** Whether the client is notified of decisions, so that it need not poll. CIBA §5 */
export const usesPingMode = (client: CoreClient): boolean => BACKCHANNEL_TOKEN_DELIVERY_MODE.of(client) === 'ping';

const isBearer = (text: string) => text.length <= 1024 && /^[\w.~+/-]+=*$/.test(text);

function readMessage(parameters: Parameters): string | undefined {
  const message = parameters.optional('binding_message', () => true);
  if (message === undefined || (message.length <= MAX_MESSAGE_LENGTH && !/[\p{C}\p{Zl}\p{Zp}]/u.test(message)))
    return message;
  throw new InvalidBindingMessageError('Invalid binding message: it must be one line of at most 100 characters');
}
