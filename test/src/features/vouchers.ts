import { type Client, InvalidGrantError, InvalidTokenError, type Model, type Token, type User } from 'nest-oauth2';
import { BackChannelEndpoint, type ClientRequest, type Feature, type TokenRequest } from 'nest-oauth2/features';

/** The `grant_type` of a voucher, a URI as for all extension grants. RFC 6749 §4.5 */
export const VOUCHER = 'urn:example:grant-type:voucher';

/** The model methods that the feature requires. */
export interface VoucherModel {
  makeVoucher(client: Client): Promise<string>;
  findVoucher(voucher: string): Promise<{ user: User; scope: string } | undefined>;
}

/** Redeems a voucher, which a client presents instead of user credentials. */
async function redeemVoucher(request: TokenRequest): Promise<Token> {
  const model = request.options.model as Model & VoucherModel;
  const found = await model.findVoucher(request.parameters.required('voucher'));
  if (!found) throw new InvalidGrantError('Invalid grant: voucher is invalid');
  return await request.issue({ client: request.client, ...found, refreshable: true });
}

/** Issues vouchers to authenticated clients. */
class VoucherEndpoint extends BackChannelEndpoint<string> {
  protected readonly id = 'voucher';
  protected serve({ client, options }: ClientRequest): Promise<string> {
    return (options.model as typeof options.model & VoucherModel).makeVoucher(client);
  }
  protected bodyOf(voucher: string): object {
    return { voucher };
  }
}

/**
 * Adds vouchers, and campaigns that authorization requests can name.
 * @param running the campaigns whose tokens are valid
 */
export const vouchers = ({ running }: { running: Set<string> }): Feature => ({
  id: 'vouchers',
  requires: ['makeVoucher', 'findVoucher'],
  grantTypes: [VOUCHER],
  endpoints: {
    voucher: {
      path: 'oauth/voucher',
      methods: ['POST'],
      metadata: 'voucher_endpoint',
      make: (server) => new VoucherEndpoint(server.options, server),
    },
  },
  install: () => ({
    grants: { [VOUCHER]: redeemVoucher },
    metadata: () => ({ campaigns_supported: [...running] }),
    authorization: {
      read: (parameters) => ({ campaign: parameters.optional('campaign', (name) => running.has(name)) }),
    },
    token: {
      issue({ code, refreshToken, tokenMembers: token }) {
        token['campaign'] = (code ?? refreshToken)?.['campaign'];
      },
      respond({ responseMembers: answer }, token) {
        if (token['campaign']) answer['campaign'] = token['campaign'];
      },
    },
    resource: {
      verify({ token: { campaign } }) {
        if (campaign && !running.has(campaign)) throw new InvalidTokenError('Invalid token: its campaign has ended');
      },
    },
  }),
});
