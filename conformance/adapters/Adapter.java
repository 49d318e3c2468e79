// iq80's leveldb (Java) and leveldbjni. Usage: java Adapter.java iq80|jni OPERATION PATH COMPARATOR
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.Map;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.ReadOptions;

public class Adapter {
  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) text.append(String.format("%02x", b));
    return text.toString();
  }

  public static void main(String[] args) throws Exception {
    if (!args[1].endsWith("-database") || !args[3].startsWith("leveldb.")) System.exit(3);
    String name = args[0].equals("iq80") ? "org.iq80.leveldb.impl.Iq80DBFactory" : "org.fusesource.leveldbjni.JniDBFactory";
    DBFactory factory = (DBFactory) Class.forName(name).getField("factory").get(null);
    int code = 0;
    if (args[0].equals("iq80")) {  // it knows no other name
      for (File file : new File(args[2]).listFiles()) {
        if (file.getName().endsWith(".ldb")) file.renameTo(new File(file.getPath().replace(".ldb", ".sst")));
      }
    }
    try {
      Options options = new Options().createIfMissing(false).paranoidChecks(true).verifyChecksums(true);
      DB db = factory.open(new File(args[2]), options);
      ReadOptions read = new ReadOptions().verifyChecksums(true);
      if (args[1].startsWith("get")) {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          byte[] key = new byte[line.length() / 2];
          for (int i = 0; i < key.length; ++i) key[i] = (byte) Integer.parseInt(line.substring(2 * i, 2 * i + 2), 16);
          try {
            byte[] value = db.get(key, read);
            System.out.println("{\"key\":\"" + line + "\",\"value\":" + (value == null ? "null" : "\"" + hex(value) + "\"") + "}");
          } catch (RuntimeException error) {
            System.out.println("{\"key\":\"" + line + "\",\"error\":\"damage\"}");
            code = 1;
          }
        }
      } else {
        DBIterator it = db.iterator(read);
        for (it.seekToFirst(); it.hasNext(); ) {
          Map.Entry<byte[], byte[]> entry = it.next();
          System.out.println("{\"key\":\"" + hex(entry.getKey()) + "\",\"value\":\"" + hex(entry.getValue()) + "\"}");
        }
      }
    } catch (Exception error) {
      System.err.println(error + " " + error.getCause());
      code = 1;
    }
    System.out.flush();
    Runtime.getRuntime().halt(code);
  }
}
