import 'reflect-metadata';
import type { ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect } from '@jest/globals';
import { InvalidArgumentError, OAuth2Module } from 'nest-oauth2';

/** The sentence that stops an application of these parts; everything else is a failure. */
export async function startUpErrorOf(metadata: ModuleMetadata): Promise<string> {
  const error: unknown = await Test.createTestingModule(metadata)
    .compile()
    .then(
      () => 'started',
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(InvalidArgumentError);
  return (error as Error).message.replace(/^Invalid argument: /, '');
}

/** The sentence that stops an application which registers the module so, however wrong. */
export const forRootError = (options: unknown) => startUpErrorOf({ imports: [OAuth2Module.forRoot(options as never)] });

export const forRootAsyncError = (options: unknown) =>
  startUpErrorOf({ imports: [OAuth2Module.forRootAsync(options as never)] });

/** The least that passes for a model. */
export const MINIMAL_MODEL = { getClient() {}, saveToken() {} };
