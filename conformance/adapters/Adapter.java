// Adapter for iq80's leveldb (Java) and leveldbjni. Usage: java Adapter.java iq80|jni OPERATION PATH COMPARATOR
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.ReadOptions;

public class Adapter {
  static PrintStream out;

  static String hex(byte[] bytes) {
    byte[] text = new byte[2 * bytes.length];
    for (int i = 0; i < text.length; ++i) text[i] = (byte) "0123456789abcdef".charAt(bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15);
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; ++i) bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    return bytes;
  }

  /** Prints the processor time of a full read, and that of looking up each key on standard input. */
  static void time(DB db, ReadOptions read) throws Exception {
    List<byte[]> keys = new ArrayList<>();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) keys.add(bytes(line));
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long start = system.getProcessCpuTime(), entries = 0, size = 0, found = 0;
    DBIterator it = db.iterator(read);
    for (it.seekToFirst(); it.hasNext(); ++entries) {
      Map.Entry<byte[], byte[]> entry = it.next();
      size += entry.getKey().length + entry.getValue().length;
    }
    long done = system.getProcessCpuTime();
    for (byte[] key : keys) if (db.get(key, read) != null) ++found;
    out.println("{\"entries\":" + entries + ",\"bytes\":" + size + ",\"read\":" + (done - start) / 1e9
        + ",\"found\":" + found + ",\"gets\":" + (system.getProcessCpuTime() - done) / 1e9 + "}");
  }

  public static void main(String[] args) throws Exception {
    if (!args[1].endsWith("-database") || !args[3].startsWith("leveldb.")) System.exit(3);
    String name = args[0].equals("iq80") ? "org.iq80.leveldb.impl.Iq80DBFactory" : "org.fusesource.leveldbjni.JniDBFactory";
    DBFactory factory = (DBFactory) Class.forName(name).getField("factory").get(null);
    int code = 0;
    out = System.out;
    System.setOut(System.err);  // iq80's library logs to System.out
    for (File file : new File(args[2]).listFiles()) {  // both know tables only by this suffix
      if (file.getName().endsWith(".ldb")) file.renameTo(new File(file.getPath().replace(".ldb", ".sst")));
    }
    try {
      Options options = new Options().createIfMissing(false).paranoidChecks(true).verifyChecksums(true);
      DB db = factory.open(new File(args[2]), options);
      ReadOptions read = new ReadOptions().verifyChecksums(true);
      if (args[1].startsWith("time")) {
        time(db, read);
      } else if (args[1].startsWith("get")) {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          byte[] key = bytes(line);
          try {
            byte[] value = db.get(key, read);
            out.println("{\"key\":\"" + line + "\",\"value\":" + (value == null ? "null" : "\"" + hex(value) + "\"") + "}");
          } catch (RuntimeException error) {
            out.println("{\"key\":\"" + line + "\",\"error\":\"damage\"}");
            code = 1;
          }
        }
      } else {
        DBIterator it = db.iterator(read);
        for (it.seekToFirst(); it.hasNext(); ) {
          Map.Entry<byte[], byte[]> entry = it.next();
          out.println("{\"key\":\"" + hex(entry.getKey()) + "\",\"value\":\"" + hex(entry.getValue()) + "\"}");
        }
      }
    } catch (Exception error) {
      System.err.println(error + " " + error.getCause());
      code = 1;
    }
    out.flush();
    Runtime.getRuntime().halt(code);
  }
}
