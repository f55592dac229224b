import 'reflect-metadata';
import type { ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect } from '@jest/globals';
import { InvalidArgumentError, OAuth2Module } from 'nest-oauth2';

/**
 * Returns the configuration error that prevents an application with this module metadata from starting. Fails if it
 * starts.
 */
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

/** Returns the configuration error of `OAuth2Module.forRoot()` with these options. */
export const forRootError = (options: unknown) => startUpErrorOf({ imports: [OAuth2Module.forRoot(options as never)] });

export const forRootAsyncError = (options: unknown) =>
  startUpErrorOf({ imports: [OAuth2Module.forRootAsync(options as never)] });

/** A model with only the methods that every configuration requires. */
export const MINIMAL_MODEL = { getClient() {}, saveToken() {} };
