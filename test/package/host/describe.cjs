/** Describes an application with one guarded route, and resolves to what its document says of tokens. */
exports.describeApplication = async function describeApplication({ oauth2, memory, common, core, swagger, addOAuth2 }) {
  const users = { findByCredentials: async () => undefined, findById: async () => undefined };
  const model = new memory.MemoryStore({ clients: [{ id: 'demo', grants: ['client_credentials'] }], users });

  class NotesController {
    read() {}
  }
  const route = Object.getOwnPropertyDescriptor(NotesController.prototype, 'read');
  common.Get()(NotesController.prototype, 'read', route);
  oauth2.Scopes('notes:read')(NotesController.prototype, 'read', route);
  common.Controller('notes')(NotesController);
  common.UseGuards(oauth2.OAuthGuard)(NotesController);

  class AppModule {}
  common.Module({ imports: [oauth2.OAuth2Module.forRoot({ model })], controllers: [NotesController] })(AppModule);

  const app = await core.NestFactory.create(AppModule, { logger: false });
  const document = addOAuth2(app, swagger.SwaggerModule.createDocument(app, new swagger.DocumentBuilder().build()));
  await app.close();
  return { security: document.paths['/notes'].get.security, schemes: document.components.securitySchemes };
};
