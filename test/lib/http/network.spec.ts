import { describe, expect, it, jest } from '@jest/globals';
import { Request } from 'nest-oauth2/server';
import { addressOf, networkOf } from '../../../lib/http/network.js';

describe('networkOf()', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('returns the network of %p: %p', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('addressOf()', () => {
  const requestFrom = (peer: string, forwardedFor: string | undefined, ip = peer) => {
    const request = new Request({
      method: 'GET',
      query: {},
      body: {},
      headers: forwardedFor ? { 'x-forwarded-for': forwardedFor } : {},
    });
    request['native'] = { ip, socket: { remoteAddress: peer } };
    return request;
  };

  it('warns once if a proxy that is not trusted sends addresses', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const trusted = [
      requestFrom('192.0.2.1', undefined),
      requestFrom('10.0.0.1', '192.0.2.1', '192.0.2.1'),
      requestFrom('127.0.0.1', '::ffff:127.0.0.1'),
    ];
    expect(trusted.map(addressOf)).toEqual(['192.0.2.1', '192.0.2.1', '127.0.0.1']);
    expect(warn).not.toHaveBeenCalled();
    for (const forwardedFor of ['192.0.2.1', '192.0.2.2']) addressOf(requestFrom('10.0.0.1', forwardedFor));
    const warnings = warn.mock.calls.map(([message]) => String(message));
    warn.mockRestore();
    expect(warnings).toEqual([
      expect.stringMatching(/sent by 10\.0\.0\.1, which is not a trusted proxy.*`trust proxy`/),
    ]);
  });
});
