import {
  BackChannelEndpoint,
  type Client,
  type ClientRequest,
  type Feature,
  GrantType,
  InvalidGrantError,
  InvalidRequestError,
  InvalidTokenError,
  type Request,
  type Token,
  type User,
} from 'nest-oauth2';

/** The `grant_type` of a voucher: a URI, as extension grants have it. RFC 6749 §4.5 */
export const VOUCHER = 'urn:example:grant-type:voucher';

/** What the feature asks of the model. */
export interface VoucherModel {
  makeVoucher(client: Client): Promise<string>;
  findVoucher(voucher: string): Promise<{ user: User; scope: string } | undefined>;
}

/** A client brings a voucher instead of a user. */
class VoucherGrantType extends GrantType<VoucherModel> {
  static readonly requires = ['findVoucher'];

  async handle(_request: Request, client: Client): Promise<Token> {
    const voucher = this.options.exchange!.parameters.required('voucher');
    const found = await this.model.findVoucher(voucher);
    if (!found) throw new InvalidGrantError('Invalid grant: voucher is invalid');
    return await this.issueToken({ client, ...found, refreshable: true });
  }
}

/** Clients that proved themselves get vouchers here. */
class VoucherEndpoint extends BackChannelEndpoint<string> {
  protected readonly id = 'voucher';
  protected serve({ client, options }: ClientRequest): Promise<string> {
    return (options.model as typeof options.model & VoucherModel).makeVoucher(client);
  }
  protected bodyOf(voucher: string): object {
    return { voucher };
  }
}

/** Vouchers, and campaigns that users come by. @param running the campaigns whose tokens are good */
export const vouchers = ({ running }: { running: Set<string> }): Feature => ({
  name: 'Vouchers',
  requires: ['makeVoucher', 'findVoucher'],
  grants: { [VOUCHER]: VoucherGrantType },
  endpoints: {
    voucher: {
      path: 'oauth/voucher',
      methods: ['POST'],
      metadata: 'voucher_endpoint',
      make: (server) => new VoucherEndpoint(server.options, server),
    },
  },
  metadata: () => ({ campaigns_supported: [...running] }),
  ask(parameters) {
    const campaign = parameters.optional('campaign');
    if (campaign === undefined || running.has(campaign)) return { campaign };
    throw new InvalidRequestError('Invalid parameter: `campaign`');
  },
  issue({ code, refreshToken, token }) {
    token['campaign'] = (code ?? refreshToken)?.['campaign'];
  },
  respond({ answer }, token) {
    if (token['campaign']) answer['campaign'] = token['campaign'];
  },
  present({ token: { campaign } }) {
    if (campaign && !running.has(campaign)) throw new InvalidTokenError('Invalid token: its campaign is over');
  },
});
