import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { capability, collectedCapability, type Feature, type ServerBuilder } from 'nest-oauth2/features';

import { createTestModel } from '../support/models/model.js';

const COLOR = capability<string>('the color', 'painter');
const SHAPE = capability<string>('the shape', 'drawer');
const SIZES = collectedCapability<number>('sizes');

const feature = (id: string, install: (builder: ServerBuilder) => unknown): Feature => ({ id, install }) as never;
const start = (...features: Feature[]) => new OAuth2Server({ model: createTestModel().model, features });
const painter = feature('painter', (builder) => builder.provide(COLOR, () => 'red'));

describe('installation of features', () => {
  it.each<[string, Feature[], string]>([
    ['two features provide the same capability', [painter, { ...painter, id: 'other' }], 'both provide the color'],
    [
      'no feature provides a required capability',
      [feature('user', (builder) => void builder.use(COLOR))],
      'requires `painter()`',
    ],
    [
      'two features require the capability of each other',
      [
        feature('painter', (builder) => builder.provide(COLOR, builder.use(SHAPE))),
        feature('drawer', (builder) => builder.provide(SHAPE, builder.use(COLOR))),
      ],
      'depends on itself',
    ],
    ...(['use', 'find'] as const).map((method): [string, Feature[], string] => [
      `a feature calls the function that ${method}() returned during installation`,
      [painter, feature('hasty', (builder) => void builder[method](COLOR)())],
      'not available while features are installed',
    ]),
    [
      'a feature calls the function that all() returned during installation',
      [feature('hasty', (builder) => void builder.all(SIZES)())],
      'not available while features are installed',
    ],
    [
      'a feature reads the server during installation',
      [feature('hasty', (builder) => void builder.server.options)],
      'not available while features are installed',
    ],
    [
      'install() returns a promise',
      [feature('slow', () => Promise.resolve({ resource: { verify: () => undefined } }))],
      '`install()` of the feature `slow()` must return an object or nothing, not a promise',
    ],
    [
      'a hook is not a function',
      [feature('odd', () => ({ resource: { verify: true } }))],
      '`resource.verify` of the feature `odd()` must be a function',
    ],
  ])('fails if %s', (_, features, message) => {
    expect(() => start(...features)).toThrow(message);
  });

  it('is independent of the order of features', () => {
    const seen: unknown[] = [];
    const reader = feature('reader', (builder) => {
      const [color, sizes] = [builder.find(COLOR), builder.all(SIZES)];
      builder.provide(SHAPE, () => `${color()} ${sizes().join()}`);
    });
    const sized = feature('sized', (builder) => builder.contribute(SIZES, 1));
    for (const features of [
      [reader, painter, sized],
      [sized, painter, reader],
    ]) {
      seen.push(start(...features).context.find(SHAPE));
    }
    expect(seen).toEqual(['red 1', 'red 1']);
  });
});
