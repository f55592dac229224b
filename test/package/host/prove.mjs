import 'reflect-metadata';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import driver from 'libsql';
import * as oauth from 'nest-oauth2';
import * as jose from 'nest-oauth2/jose';
import * as memory from 'nest-oauth2/stores/memory';
import * as typeorm from 'nest-oauth2/stores/typeorm';
import library from 'typeorm';
import modules from './prove-module.cjs';

export const proof = modules.makeProof({ common, core, oauth, jose, memory, typeorm, library, driver });
