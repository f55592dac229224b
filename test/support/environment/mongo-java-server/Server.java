import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * An in-memory server for the wire protocol of MongoDB. Arguments: the file to write the port to, and the ID of the
 * process with which the server ends.
 */
public class Server {
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    var backend = new MemoryBackend();
    backend.version(new Version());
    var server = new MongoServer(backend);
    server.bind("127.0.0.1", 0);
    var address = server.getLocalAddress();
    // Readers never see an empty file.
    Path written = Files.writeString(Path.of(file + ".new"), String.valueOf(address.getPort()));
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    ProcessHandle.of(Long.parseLong(arguments[1])).ifPresent(process -> process.onExit().join());
    Files.deleteIfExists(file);
    Files.deleteIfExists(file.getParent());
    server.shutdownNow();
    System.exit(0);
  }

  /** The version that the server reports. The driver rejects the wire version of mongo-java-server, which is 8. */
  private static class Version implements MongoVersion {
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    public int getWireVersion() {
      return 13;
    }
  }
}
