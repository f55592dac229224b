import {
  type BackchannelRequest,
  ciba,
  type CibaOptions,
  decideBackchannelRequest,
  findBackchannelRequest,
  type UserHint,
} from 'nest-oauth2/openid';
import { type Client, Request, type SignIn, type User } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';

import { EC, openIdServer, SECRET } from '../servers/openid-server.js';
import { basic, FORM } from './requests.js';

export const GRANT = 'urn:openid:params:grant-type:ciba';
export const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

interface Setup extends CibaOptions {
  client?: object;
  more?: readonly Feature[];
  model?: object;
}

/**
 * Starts an OpenID provider with client-initiated backchannel authentication (CIBA). The client `web` may use it for
 * Alice.
 */
export async function openCiba({ client, more = [], model, ...options }: Setup = {}) {
  const backchannelRequests: BackchannelRequest[] = [];
  const hints: [UserHint, Client][] = [];
  const grants = [GRANT, DEVICE, 'refresh_token', 'authorization_code'];
  const provider = await openIdServer({
    alg: 'ES256',
    from: [EC],
    client: { grants, ...client },
    more: [ciba(options), ...more],
    model: {
      findHintedUser(hint: UserHint, requestingClient: Client) {
        hints.push([hint, requestingClient]);
        return hint.loginHint === 'nobody' ? undefined : { id: hint.loginHint ?? hint.idTokenHint?.sub ?? 'alice' };
      },
      askUser: (request: BackchannelRequest) => void backchannelRequests.push(request),
      verifyUserCode: (_: User, code: string) => code === '1234',
      ...model,
    },
  });
  const { send, server, alice } = provider;
  /** Posts a form to the backchannel authentication endpoint, without default parameters. */
  const postForm = async (body: object, authorization = basic('web', SECRET)) =>
    await send(
      'backchannel_authentication',
      new Request({ method: 'POST', headers: { ...FORM, authorization }, query: {}, body }),
    );
  const begin = async (body: object = {}, authorization?: string) =>
    await postForm({ scope: 'openid', login_hint: 'alice', ...body }, authorization);
  const poll = async (authReqId: unknown) => await provider.token({ grant_type: GRANT, auth_req_id: authReqId });
  const decide = async (allow = true, decision: { scope?: string; signIn?: SignIn } = {}) => {
    const request = await findBackchannelRequest(server, backchannelRequests.at(-1)!.id, { user: alice });
    return request && (await decideBackchannelRequest(request, { allow, ...decision }));
  };
  return { ...provider, backchannelRequests, hints, postForm, begin, poll, decide };
}
