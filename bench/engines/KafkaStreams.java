import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericArray;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Kafka Streams: flatMap, repartition, count on its RocksDB store, to. The job and its forms are those of bench/job.py. */
public class KafkaStreams {
    static final AtomicLong COUNTED = new AtomicLong();
    static final byte[] HEADER = HexFormat.of().parseHex(System.getenv("BENCH_HEADER"));
    static final int WINDOW = Integer.parseInt(System.getenv("BENCH_WINDOW"));
    static final GenericDatumReader<GenericRecord> READER =
        new GenericDatumReader<>(new Schema.Parser().parse(System.getenv("BENCH_SCHEMA")));
    static final ThreadLocal<BinaryDecoder> DECODER = new ThreadLocal<>();
    static final int FIRST = 9;

    static List<KeyValue<String, byte[]>> split(byte[] message) {
        if (!Arrays.equals(message, 0, HEADER.length, HEADER, 0, HEADER.length)) {
            throw new IllegalArgumentException("not an outcome");
        }
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(message, HEADER.length, message.length - HEADER.length, DECODER.get());
        DECODER.set(decoder);
        GenericRecord outcome;
        try {
            outcome = READER.read(null, decoder);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        byte[] id = HexFormat.of().parseHex(outcome.get("outcome_id").toString(), 0, 16);
        long at = (Long) outcome.get("at");
        List<KeyValue<String, byte[]>> credits = new ArrayList<>(4);
        for (Object each : (GenericArray<?>) outcome.get("credits")) {
            GenericRecord credit = (GenericRecord) each;
            int flags = ((Boolean) credit.get("applied") ? 1 : 0) | ((Boolean) credit.get("helpful") ? 2 : 0);
            byte[] packed = ByteBuffer.allocate(17).order(ByteOrder.LITTLE_ENDIAN).put(id).put((byte) flags).putLong(at).array();
            credits.add(KeyValue.pair(credit.get("learning").toString(), packed));
        }
        return credits;
    }

    static class Count implements Processor<String, byte[], String, byte[]> {
        private KeyValueStore<String, byte[]> states;
        private ProcessorContext<String, byte[]> context;

        @Override
        public void init(ProcessorContext<String, byte[]> given) {
            context = given;
            states = given.getStateStore("learnings");
        }

        @Override
        public void process(Record<String, byte[]> record) {
            COUNTED.incrementAndGet();
            byte[] credit = record.value();
            byte[] state = states.get(record.key());
            if (state == null) {
                state = new byte[FIRST];
            }
            for (int i = FIRST; i < state.length; i += 8) {
                if (Arrays.equals(state, i, i + 8, credit, 0, 8)) {
                    return;
                }
            }
            ByteBuffer before = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN);
            int applied = before.getInt(0);
            int helpful = before.getInt(4);
            if ((credit[8] & 1) != 0) {
                applied++;
                helpful += credit[8] >> 1;
            }
            boolean passes = state[8] == 0 && applied >= 3 && helpful >= 0.70 * applied;
            int from = state.length < FIRST + 8 * WINDOW ? FIRST : FIRST + 8;
            byte[] after = ByteBuffer.allocate(FIRST + state.length - from + 8).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(applied).putInt(helpful).put(passes ? 1 : state[8]).put(state, from, state.length - from).put(credit, 0, 8).array();
            states.put(record.key(), after);
            if (passes) {
                long at = ByteBuffer.wrap(credit).order(ByteOrder.LITTLE_ENDIAN).getLong(9);
                String candidate = "{\"learning\":\"%s\",\"applied\":%d,\"helpful\":%d,\"at\":%d}".formatted(record.key(), applied, helpful, at);
                context.forward(record.withValue(candidate.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        String name = System.getenv("BENCH_NAME");
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, name + "-streams");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, System.getenv("BENCH_BROKERS"));
        settings.put(StreamsConfig.STATE_DIR_CONFIG, System.getenv("BENCH_DATA"));
        if ("1".equals(System.getenv("BENCH_EXACTLY_ONCE"))) {
            settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        }
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(
            Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("learnings"), Serdes.String(), Serdes.ByteArray()).withCachingEnabled());
        builder.stream(name + "-outcomes", Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
            .flatMap((key, message) -> split(message))
            .repartition(Repartitioned.with(Serdes.String(), Serdes.ByteArray()).withName("credits").withNumberOfPartitions(4))
            .process(Count::new, "learnings")
            .to(name + "-candidates", Produced.with(Serdes.String(), Serdes.ByteArray()));
        var streams = new org.apache.kafka.streams.KafkaStreams(builder.build(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
        streams.start();
        long told = -1;
        while (true) {
            Thread.sleep(20);
            long counted = COUNTED.get();
            if (counted != told) {
                told = counted;
                System.out.println(counted);
            }
        }
    }
}
